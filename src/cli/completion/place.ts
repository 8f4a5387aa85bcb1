import { CATALOGUE } from "../command-catalogue.ts";
import type { Definition } from "../framework/define-command.ts";
import { flagOf, type Param } from "../framework/param.ts";

/** A flag that the whole program has. */
export interface GlobalFlag {
  readonly flag: string;
  readonly about: string;
  readonly takesValue: boolean;
}

/** What is to be completed on a command line. */
export interface Place {
  /** What the last word is. */
  readonly wanted:
    | { readonly kind: "word" }
    | { readonly kind: "flag" }
    | { readonly kind: "value"; readonly param: Param<unknown> }
    | { readonly kind: "global-value"; readonly flag: string };
  /** The typed part of the word or value to complete: the last word, or its end after `--flag=`. */
  readonly typed: string;
  /** The part of the last word before that. */
  readonly before: string;
  /** The command that was typed so far; undefined for none. */
  readonly command: Definition | undefined;
  /** How many of its arguments precede the last word. */
  readonly argumentsBefore: number;
  /** Whether the next word may be a verb of `command`. */
  readonly verbs: boolean;
  /** Flags that were typed, with their values. */
  readonly flags: ReadonlyMap<string, string | undefined>;
}

/**
 * Finds what the last of the words is: a command, an argument, a flag or a flag's value.
 *
 * @param words what was typed after the program's name, up to the cursor
 */
export async function findPlace(words: readonly string[], globals: readonly GlobalFlag[]): Promise<Place> {
  const flags = new Map<string, string | undefined>();
  let command: Definition | undefined;
  let verbs = false;
  let argumentsBefore = 0;
  /** The flag whose value comes next. */
  let pending: string | undefined;
  let flagsEnded = false;

  const takesValue = (flag: string): boolean =>
    paramOf(flag)?.value !== undefined || globals.some((known) => known.flag === flag && known.takesValue);
  const paramOf = (flag: string): Param<unknown> | undefined => {
    const options = { ...command?.fallback?.options, ...command?.options };
    return Object.entries(options).find(([key]) => flagOf(key) === flag)?.[1];
  };

  for (const word of words.slice(0, -1)) {
    if (pending !== undefined) {
      flags.set(pending, word);
      pending = undefined;
    } else if (!flagsEnded && word === "--") {
      flagsEnded = true;
    } else if (!flagsEnded && word.startsWith("--")) {
      const [flag, value] = splitFlag(word);
      flags.set(flag, value);
      if (value === undefined && takesValue(flag)) pending = flag;
    } else if (flagsEnded || !word.startsWith("-")) {
      if (command === undefined) {
        command = await CATALOGUE.find(({ name }) => name === word)?.load();
        verbs = (command?.commands.length ?? 0) > 0;
        if (command === undefined) argumentsBefore += 1;
      } else if (verbs) {
        const verb = command.commands.find(({ name }) => name === word);
        command = verb ?? command.fallback ?? command;
        verbs = false;
        if (verb === undefined) argumentsBefore += 1;
      } else argumentsBefore += 1;
    }
  }
  const last = words.at(-1) ?? "";
  const place = { typed: last, before: "", command, argumentsBefore, verbs, flags };
  const valueOf = (flag: string): Place["wanted"] => {
    const param = paramOf(flag);
    return param === undefined ? { kind: "global-value", flag } : { kind: "value", param };
  };
  if (pending !== undefined) return { ...place, wanted: valueOf(pending) };
  if (!flagsEnded && last.startsWith("--") && last.includes("=")) {
    const [flag, value = ""] = splitFlag(last);
    if (takesValue(flag)) return { ...place, wanted: valueOf(flag), typed: value, before: `${flag}=` };
  }
  return { ...place, wanted: { kind: !flagsEnded && last.startsWith("-") ? "flag" : "word" } };
}

function splitFlag(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
