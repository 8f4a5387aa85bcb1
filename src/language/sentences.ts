import { readWords } from "../runtime/text/data-rows.ts";

const ABBREVIATIONS = new Set(readWords(new URL("data/abbreviations.txt", import.meta.url)));
/** Text after a mark that ends a quotation but not the sentence around it: “Forgot it?” on the page, “忘记了？”入口. */
const CONTINUES = /(?:["'”’)\]]*\s+\p{Ll}|["”’」』](?:\p{L}|[，、；]))/uy;
const STARTS_NEXT = /["'”’)\]]*(?:\s+["'“‘([]*[\p{Lu}\p{N}\p{Script=Han}]|\s*$|\p{Script=Han})/uy;
const MARKS = "。！？!?…";
const LONGEST_ABBREVIATION = Math.max(...Array.from(ABBREVIATIONS, ({ length }) => length));
const CLOSERS = /["'”’」』）)\]》]/;

function matchesAt(sticky: RegExp, line: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(line);
}

function endsSentence(line: string, at: number, start: number): boolean {
  const mark = line[at]!;
  const next = at + 1;
  if (MARKS.includes(mark)) {
    if (MARKS.includes(line[next] ?? " ") || matchesAt(CONTINUES, line, next)) return false;
    return !("!?".includes(mark) && /[A-Za-z0-9]/.test(line[next] ?? ""));
  }
  if (mark !== "." || (next < line.length && !matchesAt(STARTS_NEXT, line, next))) return false;
  // Only the last characters before the mark are read, so a long line without a sentence end takes linear time.
  const before = line.slice(Math.max(start, at - LONGEST_ABBREVIATION - 1), at);
  const word = /(?<![^\s("'“])[^\s("'“]*$/.exec(before)![0].toLowerCase();
  if (ABBREVIATIONS.has(word) || /^\p{L}$/u.test(word)) return false;
  // "2." before a step is its number, not a sentence.
  return !/^\d{1,2}$/.test(line.slice(start, Math.min(at, start + 3)));
}

function afterBlanks(line: string, at: number): number {
  while (at < line.length && /\s/.test(line[at]!)) at++;
  return at;
}

/** The sentences of a plain text, verbatim and in order. A line break always ends a sentence. Linear time. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const line of text.split("\n")) {
    let start = afterBlanks(line, 0);
    const push = (end: number): void => {
      const sentence = line.slice(start, end).trim();
      if (/[\p{L}\p{N}]/u.test(sentence)) sentences.push(sentence);
      start = afterBlanks(line, end);
    };
    for (let at = 0; at < line.length; at++) {
      if (!endsSentence(line, at, start)) continue;
      let end = at + 1;
      while (end < line.length && CLOSERS.test(line[end]!)) end++;
      push(end);
      at = end - 1;
    }
    push(line.length);
  }
  return sentences;
}
