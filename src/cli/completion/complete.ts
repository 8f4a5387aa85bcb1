import { parseArgs } from "node:util";
import { Command } from "commander";
import { isOperatorToken } from "../../contract/roles.ts";
import { CATALOGUE } from "../command-catalogue.ts";
import { EXIT } from "../framework/command-failure.ts";
import type { CommandIo } from "../framework/command-io.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import type { Definition } from "../framework/define-command.ts";
import { declareGlobals, FORMATS, readGlobals, type Format, type CommandEnv } from "../framework/global-flags.ts";
import { anyText, flagOf, oneOf, type ValueKind, type Param } from "../params/param.ts";
import TOPICS from "../help/help-topics.json" with { type: "json" };
import { findDaemon } from "../target/daemon-target.ts";
import { userIds } from "../target/bare-storage.ts";

const TIMEOUT_MS = 5000; // Longest time to wait for a storage or a file after a key was pressed, ms.
const NOTHING = "words\n";

/** Answers a completion request of a shell: `anp __complete words -- WORD…`, the last at the cursor, or `anp __complete
 * bash LINE BREAKS`, the line up to it and readline's word breaks. Prints `words`, `files` or `folders`, then one
 * candidate per line, with a tab and its meaning; on any failure, no candidates. */
export async function complete(args: readonly string[], io: CommandIo): Promise<void> {
  const answer = answerTo(args, io).catch(() => NOTHING);
  const text = await withTimeout(answer, TIMEOUT_MS, () => NOTHING);
  await new Promise((resolve) => io.stdout.write(text, resolve));
  io.exit(EXIT.ok); // A storage that does not answer would keep the process alive.
}

async function answerTo([form, ...rest]: readonly string[], io: CommandIo): Promise<string> {
  const [line = "", breaks = ""] = rest;
  const { words, kept } = form === "bash" ? readBashLine(line, breaks) : { words: rest, kept: 0 };
  const last = words.at(-1) ?? "";
  const { typed, words: candidates, paths = "words" } = await completionOf([...words.slice(1, -1), last], io);
  const before = last.slice(0, last.length - typed.length);
  const lines = candidates
    // A shell splits the answer at line ends and tabs.
    .filter(({ word }) => word.startsWith(typed) && !/[\t\n]/.test(word))
    .map(({ word, about = "" }) => `${`${before}${word}`.slice(kept)}\t${about}\n`);
  return `${paths}\n${lines.join("")}`;
}

/** A quoted part with its end, an escaped character, white space, or another character. */
const PART = /'([^']*)('?)|"((?:\\[^]|[^"])*)("?)|\\([^])|(\s)|([^])/g;

/** Splits a command line, up to the cursor, by the quoting rules of POSIX shells. @param breaks where readline ends a
 * word: it takes `=` and `:` for breaks between words @returns the unquoted words, the one at the cursor last (perhaps
 * empty), and how many of its characters are kept before what readline replaces */
export function readBashLine(line: string, breaks: string): { words: string[]; kept: number } {
  const words: string[] = [];
  let word: string | undefined;
  let kept = 0;
  let isQuoted = false;
  for (const [, single, singleEnd, double, doubleEnd, escaped, blank, char = ""] of line.matchAll(PART)) {
    isQuoted = singleEnd === "" || doubleEnd === "";
    if (blank === undefined) {
      word = `${word ?? ""}${single ?? double?.replace(/\\([^])/g, "$1") ?? escaped ?? char}`;
      if (/[=:]/.test(char) && breaks.includes(char)) kept = word.length;
    } else {
      if (word !== undefined) words.push(word);
      word = undefined;
      kept = 0;
    }
  }
  return { words: [...words, word ?? ""], kept: isQuoted ? 0 : kept };
}

type Candidate = { readonly word: string; readonly about?: string };

/** What the last word of a line is: a command, an argument, a flag or a flag's value. */
interface Place {
  readonly typed: string; // The typed part: the word, or its end after `--flag=`.
  readonly words: readonly Candidate[]; // The candidates, whatever is typed.
  readonly paths?: "files" | "folders"; // Whether paths are candidates too, which the shell completes itself.
  readonly command?: Definition | undefined; // The command that is typed so far.
  readonly param?: Param<unknown> | undefined; // The param whose values may be typed.
}

/** The completion at the end of a command line.
 * @param words what was typed after the program's name, up to the cursor; at least one */
async function completionOf(words: string[], { env, cwd }: CommandIo): Promise<Place> {
  if (words[0] === "help" && words.length > 1)
    return { typed: words.at(-1)!, words: await helpWords(words.slice(1, -1)) };
  const program = new Command().exitOverride();
  declareGlobals(program);
  const place = await findPlace(words, program);
  const holds = place.param?.holds;
  if (holds === "file" || holds === "folder") return { ...place, paths: `${holds}s` };
  const surroundings = () => ({ env, cwd, globals: readGlobals(program, env) });
  // There may be no storage yet, or flags that exclude each other: other candidates are still shown.
  const values = await valuesOf(place, surroundings).catch(() => []);
  return { ...place, words: [...place.words, ...values] };
}

async function helpWords([first, ...others]: string[]): Promise<readonly Candidate[]> {
  const topics = Object.entries(TOPICS).map(([word, about]) => ({ word, about }));
  if (first === undefined) return [...COMMAND_NAMES, ...topics];
  const { command, depth } = verbOf(await loadCommand(first), others);
  return others.length > depth ? [] : verbNames(command);
}

const COMMAND_NAMES: readonly Candidate[] = CATALOGUE.map(({ name, summary }) => ({ word: name, about: summary }));
const loadCommand = async (first: string | undefined) => CATALOGUE.find(({ name }) => name === first)?.load();

type Verb = { readonly command: Definition | undefined; readonly depth: number };

/** The verb that the words after a command's name select, and the number of words used. */
function verbOf(command: Definition | undefined, words: readonly string[], depth = 0): Verb {
  const verb = Object.entries(command?.commands ?? {}).find(([name]) => name === words[depth])?.[1];
  return verb === undefined ? { command, depth } : verbOf(verb, words, depth + 1);
}

const withVerbs = (group: Definition): Definition[] => [group, ...Object.values(group.commands).flatMap(withVerbs)];

const verbNames = (group: Definition | undefined): Candidate[] =>
  Object.entries(group?.commands ?? {}).map(([word, { summary }]) => ({ word, about: summary }));

type FlagsByName = Readonly<Record<string, Param<unknown> & { readonly short?: string | undefined }>>;
const HELD: Record<string, ValueKind> = { "--config": "file", "--fixtures": "folder", "--profile": "profile" };

function globalFlags({ options }: Command, formats: readonly Format[] = FORMATS): FlagsByName {
  const flags = options.map(({ long, short, description: about, required }) => {
    const read = long === "--format" ? oneOf(...formats) : anyText;
    const value = required ? "VALUE" : undefined;
    return [long!, { read, about, value, short: short?.slice(1), holds: HELD[long!] }] as const;
  });
  return Object.fromEntries(flags);
}

const flagsOf = (command: Definition | undefined): FlagsByName =>
  Object.fromEntries(Object.entries(command?.options ?? {}).map(([key, param]) => [flagOf(key), param]));

async function findPlace(words: string[], program: Command): Promise<Place> {
  const [first] = readLine(words, globalFlags(program)).names;
  const group = await loadCommand(first);
  const known = (group === undefined ? [] : withVerbs(group)).toReversed().map(flagsOf);
  const allFlags = Object.assign({}, ...known, globalFlags(program)) as FlagsByName;
  const { names, given, last, ended } = readLine(words, allFlags);
  const { command: verb, depth } = verbOf(group, names.slice(1));
  const command = verb?.fallback ?? verb;
  const flags = { ...flagsOf(command), ...globalFlags(program, command?.formats) };
  const place = { command, typed: words.at(-1)! };
  program.parseOptions(words.slice(0, last.index));
  if (last.kind === "option" && last.value !== undefined) {
    const param = flags[`--${last.name}`];
    if (param?.value !== undefined) return { ...place, typed: last.value, words: [], param };
  }
  if (place.typed.startsWith("-") && !ended) return { ...place, words: flagNames(flags, given) };
  if (command === undefined) return { ...place, words: first === undefined ? [...COMMAND_NAMES, HELP] : [] };
  const params = Object.values(command.arguments);
  const rest = params.at(-1)?.readAll === undefined ? undefined : params.at(-1);
  const param = params[names.length - 1 - depth] ?? rest;
  return { ...place, param, words: names.length === depth + 1 ? verbNames(verb) : [] };
}

const HELP: Candidate = { word: "help", about: "Show help" };

function flagNames(flags: FlagsByName, given: readonly string[]): Candidate[] {
  const open = Object.entries(flags).filter(([flag, { readAll }]) => readAll !== undefined || !given.includes(flag));
  const names = open.map(([word, { about }]) => ({ word, about }));
  return [...names, { word: "--help", about: "show help" }, { word: "--version", about: "show the version" }];
}

/** Parses a line: the words before the last one without flags and their values, the flags, and the last token. */
function readLine(args: string[], flags: FlagsByName) {
  const options = Object.entries(flags).map(([flag, { value, short }]) => {
    const type = value === undefined ? "boolean" : "string";
    return [flag.slice(2), { type, ...(short !== undefined && { short }) }] as const;
  });
  const { tokens } = parseArgs({ args, options: Object.fromEntries(options), strict: false, tokens: true });
  const before = tokens.slice(0, -1);
  return {
    names: before.flatMap((token) => (token.kind === "positional" ? token.value : [])),
    given: before.flatMap((token) => (token.kind === "option" ? `--${token.name}` : [])),
    ended: before.some(({ kind }) => kind === "option-terminator"), // Whether `--` came before.
    last: tokens.at(-1)!,
  };
}

const MAX_USERS = 200; // More would be slow, and not helpful.

async function valuesOf(place: Place, where: () => CommandEnv): Promise<Candidate[]> {
  const { command, param, typed } = place;
  const words = param?.read.words ?? (await param?.choices?.());
  if (words !== undefined) return words.map((word) => ({ word }));
  const held = param?.holds;
  if (held === undefined) return [];
  const surroundings = where();
  if (held === "profile") {
    const { profiles } = await (await import("../target/profiles.ts")).readProfiles(surroundings.env);
    return Object.entries(profiles).map(([word, { url }]) => ({ word, about: url }));
  }
  if (held === "plan" || held === "source") {
    const { config } = await (await import("../target/open-config.ts")).openConfig(surroundings);
    if (held === "plan") return Object.keys(config.plans).map((word) => ({ word }));
    return config.news.sources.map(({ id: word, name: about }) => ({ word, about }));
  }
  // A daemon is not asked: its token names the user, or is an operator's.
  const isRemote = command?.target === "either" || command?.role !== undefined;
  const daemon = isRemote ? await findDaemon(surroundings) : undefined;
  if (daemon !== undefined && (command?.target === "either" || isOperatorToken(daemon.token ?? ""))) return [];
  return (await userIds(surroundings, { prefix: typed, limit: MAX_USERS })).map((word) => ({ word }));
}
