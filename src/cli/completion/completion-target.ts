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
export interface CompletionTarget {
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
export async function findPlace(words: readonly string[], globals: readonly GlobalFlag[]): Promise<CompletionTarget> {
  const flags = new Map<string, string | undefined>();
  let command: Definition | undefined;
  let verbs = false;
  let argumentsBefore = 0;
  /** The flag whose value comes next. */
  let pending: string | undefined;
  let flagsEnded = false;

  function paramOf(flag: string): Param<unknown> | undefined {
    const options = { ...command?.fallback?.options, ...command?.options };
    return Object.entries(options).find(([key]) => flagOf(key) === flag)?.[1];
  }

  function takesValue(flag: string): boolean {
    return globals.some((known) => known.flag === flag && known.takesValue) || paramOf(flag)?.value !== undefined;
  }

  /** A command's name, then a verb of it, then arguments. */
  async function takeWord(word: string): Promise<void> {
    let isName = false;
    if (command === undefined) {
      command = await CATALOGUE.find(({ name }) => name === word)?.load();
      isName = command !== undefined;
      verbs = Object.keys(command?.commands ?? {}).length > 0;
    } else if (verbs) {
      isName = Object.hasOwn(command.commands, word);
      command = isName ? command.commands[word] : (command.fallback ?? command);
      verbs = false;
    }
    if (!isName) argumentsBefore += 1;
  }

  for (const word of words.slice(0, -1)) {
    if (pending !== undefined) {
      flags.set(pending, word);
      pending = undefined;
    } else if (flagsEnded || !word.startsWith("-")) await takeWord(word);
    else if (word === "--") flagsEnded = true;
    else if (word.startsWith("--")) {
      const [flag, value] = splitFlag(word);
      flags.set(flag, value);
      if (value === undefined && takesValue(flag)) pending = flag;
    }
  }
  const last = words.at(-1) ?? "";
  const isFlag = !flagsEnded && last.startsWith("-");
  const place = { typed: last, before: "", command, argumentsBefore, verbs, flags };
  const [flag, value] = pending === undefined && isFlag ? splitFlag(last) : [pending, last];
  if (flag === undefined || value === undefined || !takesValue(flag)) {
    return { ...place, wanted: { kind: isFlag ? "flag" : "word" } };
  }
  const param = paramOf(flag);
  return {
    ...place,
    wanted: param === undefined ? { kind: "global-value", flag } : { kind: "value", param },
    ...(pending === undefined && { typed: value, before: `${flag}=` }),
  };
}

function splitFlag(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
