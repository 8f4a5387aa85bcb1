import { setTimeout as delay } from "node:timers/promises";
import type { CommandIo } from "../framework/command-io.ts";
import { EXIT } from "../framework/command-failure.ts";
import { readBashLine } from "./bash-line.ts";
import { completionOf } from "./candidates.ts";

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
  const [line = "", breaks = ""] = rest;
  const { words, kept } = form === "bash" ? readBashLine(line, breaks) : { words: rest, kept: 0 };
  const last = words.at(-1) ?? "";
  const { typed, words: candidates, paths = "words" } = await completionOf([...words.slice(1, -1), last], io, signal);
  const before = last.slice(0, last.length - typed.length);
  const lines = candidates
    // A shell splits the answer at line ends and tabs.
    .filter(({ word }) => word.startsWith(typed) && !/[\t\n]/.test(word))
    .map(({ word, about = "" }) => `${`${before}${word}`.slice(kept)}\t${about}\n`);
  return `${paths}\n${lines.join("")}`;
}
