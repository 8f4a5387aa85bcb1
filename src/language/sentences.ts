/** A sentence of a passage, as it stands there, and the line it stands on. */
export interface Sentence {
  readonly text: string;
  readonly line: number;
}

const ABBREVIATIONS = new Set(
  "mr mrs ms dr prof sr jr st vs etc eg ie no vol fig inc ltd co corp dept est approx jan feb mar apr jun jul aug sep sept oct nov dec gen col lt sgt rev hon gov sen rep u.s u.k e.g i.e a.m p.m".split(
    " ",
  ),
);
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
/** What follows a mark that ends a quotation, not the sentence around it: “Forgot it?” on the page, “忘记了？”入口. */
const GOES_ON = /^(?:["'”’)\]]*\s+\p{Ll}|["”’」』](?:\p{L}|[，、；]))/u;
const CLOSERS = /["'”’」』）)\]》]/;

/** The text without markup: HTML tags and entities, Markdown emphasis, headings, links and code marks. */
export function plainText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/<(?:script|style)\b[^>]*>[\s\S]{0,20000}?<\/(?:script|style)>/gi, " ")
    .replace(/<br\s*\/?>|<\/(?:p|div|li|ul|ol|h[1-6]|tr|table|blockquote|section)>/gi, "\n")
    .replace(/<\/?(?:a|b|i|u|em|strong|span|code|small|mark|font|sub|sup)(?:\s[^<>]*)?>/gi, "")
    .replace(/<\/?[a-z][^<>]*>/gi, " ")
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/gi, (_, name: string) => ENTITIES[name.toLowerCase()] ?? " ")
    .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replace(/!?\[([^[\]\n]{0,500})\]\([^()\n]{0,2000}\)/g, "$1")
    .replace(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)/gm, "")
    .replace(/^[ \t]*[*+-][ \t]+/gm, "")
    .replace(/(\*\*|__)(?=\S)([^\n]{0,500}?\S)\1/g, "$2")
    .replace(/`([^`\n]{0,500})`/g, "$1")
    .replace(/[ \t\u00a0\u3000]+/g, " ");
}

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
