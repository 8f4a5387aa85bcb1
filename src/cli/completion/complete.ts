import type { CommandIo } from "../framework/command-io.ts";
import { EXIT } from "../framework/command-failure.ts";
import { within } from "../../runtime/within.ts";
import { completionOf } from "./candidates.ts";

const TIMEOUT_MS = 5000; // Longest time to wait for a storage or a file after a key was pressed, ms.
const NOTHING = "words\n";

/** Answers a shell that asks what may be typed: `anp __complete words -- WORD…`, the last at the cursor, or `anp
 * __complete bash LINE BREAKS`, the line up to it and readline's word breaks. Prints `words`, `files` or `folders`,
 * then the words that fit, each with a tab and what it means; on any failure, nothing but that. */
export async function complete(args: readonly string[], io: CommandIo): Promise<void> {
  const answer = answerTo(args, io).catch(() => NOTHING);
  const text = await within(answer, TIMEOUT_MS, () => NOTHING);
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
