import { isOperatorToken } from "../../contract/roles.ts";
import { CATALOGUE } from "../command-catalogue.ts";
import type { Definition } from "../framework/define-command.ts";
import { GLOBAL_VALUES, type Globals, type Surroundings } from "../framework/global-flags.ts";
import { flagOf, type Held, type Param, type Params } from "../framework/param.ts";
import { findDaemon } from "../target/daemon-target.ts";
import { userIds } from "../target/bare-storage.ts";

/** A word that may be typed. */
export interface Candidate {
  readonly word: string;
  readonly about?: string;
}

/** The flags that were typed, and the environment. */
export interface Settings extends Omit<Surroundings, "globals"> {
  /** @throws UsageError when the flags do not go together */
  readonly globals: () => Globals;
  /** Aborted when the answer would come too late. */
  readonly signal: AbortSignal;
}

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
  const { flag, param, command } = place;
  if (param !== undefined) return valuesOf(param, place, settings);
  if (flag !== undefined) return globalValues(flag, place, settings);
  if (place.isFlag) return flagsAt(place, globals);
  if (command !== undefined) return wordsOf(command, place, settings);
  return place.argumentsBefore > 0 ? [] : [...commandNames(), { word: "help", about: "Show help" }];
}

export function commandNames(): Candidate[] {
  return CATALOGUE.map(({ name, summary }) => ({ word: name, about: summary }));
}

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
  const known = [
    ...Object.entries(optionsOf(command))
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

/** More would be slow to show, and of no help. */
const MOST_USERS = 200;

async function heldValues(held: Held, { command, typed }: CompletionTarget, settings: Settings): Promise<Candidates> {
  if (held === "file") return "files";
  if (held === "folder") return "folders";
  try {
    if (held === "profile") {
      const { readProfiles } = await import("../target/profiles.ts");
      const { profiles } = await readProfiles(settings.env);
      return Object.entries(profiles).map(([word, { url }]) => ({ word, about: url }));
    }
    const surroundings = { ...settings, globals: settings.globals() };
    if (held === "plan") {
      const { openConfig } = await import("../target/open-config.ts");
      return Object.keys((await openConfig(surroundings)).config.plans).map((word) => ({ word }));
    }
    // A daemon is not asked: its token names the user, or is an operator's.
    const isRemote = command?.target === "either" || command?.role !== undefined;
    const daemon = isRemote ? await findDaemon(surroundings) : undefined;
    if (daemon !== undefined && (command?.target === "either" || isOperatorToken(daemon.token ?? ""))) return [];
    const fits = (id: string): boolean => id.startsWith(typed);
    const ids = await userIds(surroundings, { fits, most: MOST_USERS, signal: settings.signal });
    return ids.map((word) => ({ word }));
  } catch {
    // There may be no storage yet, or flags that exclude each other: other candidates are still shown.
    return [];
  }
}

function optionsOf(command: Definition | undefined): Params {
  return { ...command?.fallback?.options, ...command?.options };
}

/** A flag that the whole program has. */
export interface GlobalFlag {
  readonly flag: string;
  readonly about: string;
  readonly takesValue: boolean;
}

/** What is to be completed on a command line. */
export type CompletionTarget = Awaited<ReturnType<typeof findPlace>>;

/** Finds what the last of the words is: a command, an argument, a flag or a flag's value.
 * @param words what was typed after the program's name, up to the cursor */
export async function findPlace(words: readonly string[], globals: readonly GlobalFlag[]) {
  const place = {
    /** The command that was typed so far; undefined for none. */
    command: undefined as Definition | undefined,
    /** Whether the next word may be a verb of `command`. */
    verbs: false,
    /** How many of its arguments precede the last word. */
    argumentsBefore: 0,
    /** Flags that were typed, with their values. */
    flags: new Map<string, string | undefined>(),
  };
  let flagBeforeValue: string | undefined;
  let flagsEnded = false;

  function paramOf(flag: string): Param<unknown> | undefined {
    return Object.entries(optionsOf(place.command)).find(([key]) => flagOf(key) === flag)?.[1];
  }

  function takesValue(flag: string): boolean {
    return globals.some((known) => known.flag === flag && known.takesValue) || paramOf(flag)?.value !== undefined;
  }

  /** A command's name, then a verb of it, then arguments. */
  async function takeWord(word: string): Promise<void> {
    const { command, verbs } = place;
    let named = verbs && Object.hasOwn(command!.commands, word) ? command!.commands[word] : undefined;
    if (command === undefined) named = await CATALOGUE.find(({ name }) => name === word)?.load();
    if (named === undefined) place.argumentsBefore += 1;
    place.command = named ?? (verbs ? command?.fallback : undefined) ?? command;
    place.verbs = command === undefined && Object.keys(named?.commands ?? {}).length > 0;
  }

  for (const word of words.slice(0, -1)) {
    if (flagBeforeValue !== undefined) {
      place.flags.set(flagBeforeValue, word);
      flagBeforeValue = undefined;
    } else if (flagsEnded || !word.startsWith("-")) await takeWord(word);
    else if (word === "--") flagsEnded = true;
    else if (word.startsWith("--")) {
      const [flag, value] = splitFlag(word);
      place.flags.set(flag, value);
      if (value === undefined && takesValue(flag)) flagBeforeValue = flag;
    }
  }
  const last = words.at(-1) ?? "";
  const isFlag = !flagsEnded && last.startsWith("-");
  const [flag, value] = flagBeforeValue === undefined && isFlag ? splitFlag(last) : [flagBeforeValue, last];
  const isValue = flag !== undefined && value !== undefined && takesValue(flag);
  return {
    ...place,
    isFlag,
    /** The flag whose value the last word is, and its param where it is the command's own. */
    flag: isValue ? flag : undefined,
    param: isValue ? paramOf(flag) : undefined,
    /** The typed part of the word or value to complete: the last word, or its end after `--flag=`. */
    typed: isValue ? value : last,
    /** The part of the last word before that. */
    before: isValue && flagBeforeValue === undefined ? `${flag}=` : "",
  };
}

function splitFlag(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
