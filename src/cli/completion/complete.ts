import { setTimeout as delay } from "node:timers/promises";
import { Command } from "commander";
import type { CommandIo } from "../framework/command-io.ts";
import { EXIT } from "../framework/exit.ts";
import { declareGlobals, readGlobals } from "../framework/global-flags.ts";
import { readBashLine } from "./bash-line.ts";
import { candidatesAt, commandNames, verbNames, findPlace } from "./candidates.ts";
import type { Candidates, CompletionTarget, Settings } from "./candidates.ts";
import TOPICS from "../help/help-topics.json" with { type: "json" };

/** Longest time to wait for a storage or a file after a key was pressed, ms. */
const TIMEOUT_MS = 5000;

/** Answers a shell that asks what may be typed: `anp __complete words -- WORD…`, the last one at the cursor, or
 * `anp __complete bash LINE BREAKS` with the line up to the cursor and readline's word breaks. Prints `words`, `files`
 * or `folders` on a line, then the words that fit, if any, each with a tab and what it means. On any failure it prints
 * no candidates and nothing else. */
export async function complete(args: readonly string[], io: CommandIo): Promise<void> {
  const timeout = new AbortController();
  const answer = answerTo(args, io, timeout.signal).catch(() => "words\n");
  const text = await Promise.race([answer, delay(TIMEOUT_MS, "words\n", timeout)]);
  timeout.abort();
  await new Promise((resolve) => io.stdout.write(text, resolve));
  // A storage that does not answer would keep the process alive.
  io.exit(EXIT.ok);
}

async function answerTo([form, ...rest]: readonly string[], io: CommandIo, signal: AbortSignal): Promise<string> {
  if (form !== "bash") return textOf(await candidatesFor(rest.slice(1), io, signal), 0);
  const [line = "", breaks = ""] = rest;
  const { words, kept } = readBashLine(line, breaks);
  return textOf(await candidatesFor(words.slice(1), io, signal), kept);
}

interface Fitting {
  readonly candidates: Candidates;
  readonly place: Pick<CompletionTarget, "typed" | "before">;
}

async function candidatesFor(words: readonly string[], { env, cwd }: CommandIo, signal: AbortSignal): Promise<Fitting> {
  const program = new Command();
  declareGlobals(program);
  const flags = program.options.map(({ long, description, required }) => ({
    flag: long!,
    about: description,
    takesValue: required,
  }));
  if (words[0] === "help") return helpOn(words.slice(1));
  const place = await findPlace(words, flags);
  const settings: Settings = {
    env,
    cwd,
    signal,
    globals() {
      const typed = flags.flatMap(({ flag, takesValue }) => {
        if (!place.flags.has(flag)) return [];
        return takesValue ? [flag, place.flags.get(flag) ?? ""] : [flag];
      });
      program.parseOptions(typed);
      return readGlobals(program, env);
    },
  };
  return { place, candidates: await candidatesAt(place, flags, settings) };
}

/** `anp help` knows commands, their verbs, and topics. */
async function helpOn(words: readonly string[]): Promise<Fitting> {
  const place = await findPlace(words, []);
  if (place.command !== undefined) return { place, candidates: place.verbs ? verbNames(place.command) : [] };
  if (words.length > 1) return { place, candidates: [] };
  const topics = Object.entries(TOPICS).map(([word, about]) => ({ word, about }));
  return { place, candidates: [...commandNames(), ...topics] };
}

/** @param kept characters of the word that the shell does not replace */
function textOf({ candidates, place: { typed, before } }: Fitting, kept: number): string {
  if (typeof candidates === "string") return `${candidates}\n`;
  const { paths, words } = "paths" in candidates ? candidates : { paths: "words", words: candidates };
  const lines = words
    // A shell splits the answer at line ends and tabs.
    .filter(({ word }) => word.startsWith(typed) && !/[\t\n]/.test(word))
    .map(({ word, about = "" }) => `${`${before}${word}`.slice(kept)}\t${about}\n`);
  return `${paths}\n${lines.join("")}`;
}
