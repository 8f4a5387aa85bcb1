import { CATALOGUE } from "../command-catalogue.ts";
import type { Definition } from "../framework/define-command.ts";
import { GLOBAL_VALUES } from "../framework/global-flags.ts";
import type { Candidate, Settings } from "./known-names.ts";
import { flagOf, type Held, type Param } from "../framework/param.ts";

/** What may be typed at a place: words, paths that the shell completes itself, or both. */
export type Candidates =
  | readonly Candidate[]
  | "files"
  | "folders"
  | { readonly paths: "files"; readonly words: readonly Candidate[] };

/** All candidates of a place of the command line, whatever is typed of the word. */
export async function candidatesAt(
  place: CompletionTarget,
  globals: readonly GlobalFlag[],
  settings: Settings,
): Promise<Candidates> {
  const { wanted, command } = place;
  switch (wanted.kind) {
    case "flag":
      return flagsAt(place, globals);
    case "value":
      return valuesOf(wanted.param, place, settings);
    case "global-value":
      return globalValues(wanted.flag, place, settings);
    case "word":
      if (command !== undefined) return wordsOf(command, place, settings);
      return place.argumentsBefore > 0 ? [] : [...commandNames(), { word: "help", about: "Show help" }];
  }
}

/** The names of all commands. */
export function commandNames(): Candidate[] {
  return CATALOGUE.map(({ name, summary }) => ({ word: name, about: summary }));
}

/** The verbs of a group. */
export function verbNames({ commands }: Definition): Candidate[] {
  return Object.entries(commands).map(([word, { summary }]) => ({ word, about: summary }));
}

async function wordsOf(command: Definition, place: CompletionTarget, settings: Settings): Promise<Candidates> {
  const verbs = place.verbs ? verbNames(command) : [];
  const runs = place.verbs ? command.fallback : command;
  if (runs === undefined) return verbs;
  const params = Object.values(runs.arguments);
  const last = params.at(-1);
  const param = params[place.argumentsBefore] ?? (last?.readAll === undefined ? undefined : last);
  if (param === undefined) return verbs;
  const values = await valuesOf(param, { ...place, command: runs }, settings);
  if (Array.isArray(values)) return [...verbs, ...(values as readonly Candidate[])];
  return values === "files" && verbs.length > 0 ? { paths: values, words: verbs } : values;
}

function flagsAt({ command, flags }: CompletionTarget, globals: readonly GlobalFlag[]): Candidate[] {
  const own = Object.entries({ ...command?.fallback?.options, ...command?.options });
  const known = [
    ...own
      .filter(([key, { readAll }]) => readAll !== undefined || !flags.has(flagOf(key)))
      .map(([key, { about }]) => ({ word: flagOf(key), about })),
    ...globals.filter(({ flag }) => !flags.has(flag)).map(({ flag, about }) => ({ word: flag, about })),
  ];
  return [...known, { word: "--help", about: "show help" }, { word: "--version", about: "show the version" }];
}

async function valuesOf(param: Param<unknown>, place: CompletionTarget, settings: Settings): Promise<Candidates> {
  const words = param.read.words ?? (await param.choices?.());
  if (words !== undefined) return words.map((word) => ({ word }));
  return param.holds === undefined ? [] : heldValues(param.holds, place, settings);
}

function globalValues(flag: string, place: CompletionTarget, settings: Settings): Candidates | Promise<Candidates> {
  const values = GLOBAL_VALUES[flag.slice(2)];
  if (values === undefined) return [];
  if (typeof values === "string") return heldValues(values, place, settings);
  const formats: readonly string[] = place.command?.formats ?? values;
  return (flag === "--format" ? formats : values).map((word) => ({ word }));
}

async function heldValues(held: Held, place: CompletionTarget, settings: Settings): Promise<Candidates> {
  if (held === "file") return "files";
  if (held === "folder") return "folders";
  try {
    const { profileNames, planNames, userIds } = await import("./known-names.ts");
    if (held === "profile") return await profileNames(settings);
    return held === "plan" ? await planNames(settings) : await userIds(place, settings);
  } catch {
    // There may be no storage yet, or flags that exclude each other: other candidates are still shown.
    return [];
  }
}

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
