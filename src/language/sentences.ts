/** A sentence of a text, verbatim, and the number of its line. */
export interface Sentence {
  readonly text: string;
  readonly line: number;
}

const ABBREVIATIONS = new Set(
  "mr mrs ms dr prof sr jr st vs etc eg ie no vol fig inc ltd co corp dept est approx jan feb mar apr jun jul aug sep sept oct nov dec gen col lt sgt rev hon gov sen rep u.s u.k e.g i.e a.m p.m".split(
    " ",
  ),
);
/** What follows a mark that ends a quotation but not the sentence around it: “Forgot it?” on the page, “忘记了？”入口. */
const GOES_ON = /^(?:["'”’)\]]*\s+\p{Ll}|["”’」』](?:\p{L}|[，、；]))/u;
const CLOSERS = /["'”’」』）)\]》]/;

function endsSentence(line: string, at: number, start: number): boolean {
  const mark = line[at]!;
  const rest = line.slice(at + 1);
  if ("。！？!?…".includes(mark)) {
    if ("。！？!?…".includes(rest[0] ?? " ") || GOES_ON.test(rest)) return false;
    return !("!?".includes(mark) && /^[A-Za-z0-9]/.test(rest));
  }
  if (mark !== ".") return false;
  if (rest !== "" && !/^["'”’)\]]*(?:\s+["'“‘([]*[\p{Lu}\p{N}\p{Script=Han}]|\s*$|\p{Script=Han})/u.test(rest))
    return false;
  const before = line.slice(start, at);
  const word = /[^\s("'“]*$/.exec(before)![0].toLowerCase();
  if (ABBREVIATIONS.has(word) || /^\p{L}$/u.test(word)) return false;
  // "2." before a step is its number, not a sentence.
  return !/^\s*\d{1,2}$/.test(before);
}

/** The sentences of a plain text, verbatim and whole, in order. A line break always ends one. */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  for (const [number, line] of text.split("\n").entries()) {
    let start = 0;
    const push = (end: number): void => {
      const sentence = line.slice(start, end).trim();
      if (/[\p{L}\p{N}]/u.test(sentence)) sentences.push({ text: sentence, line: number });
      start = end;
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
