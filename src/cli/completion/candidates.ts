import { CATALOGUE } from "../command-catalogue.ts";
import type { Definition } from "../framework/define-command.ts";
import { GLOBAL_VALUES } from "../framework/global-flags.ts";
import type { Candidate, Settings } from "./known-names.ts";
import { flagOf, type Held, type Param } from "../framework/param.ts";
import type { GlobalFlag, CompletionTarget } from "./completion-target.ts";

/** What may be typed at a place: words, or paths that the shell completes itself. */
export type Candidates = readonly Candidate[] | "files" | "folders";

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
  return typeof values === "string" ? values : [...verbs, ...values];
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
