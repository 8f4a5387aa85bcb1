import { readRows } from "../runtime/text/data-rows.ts";
import { ASSETS, assetsInQuestion, namesOfAsset } from "./assets.ts";
import { fold } from "./tokenize.ts";

const UNITS = /[a-z\d]+|\p{Script=Han}/gu;
const isHan = (unit: string): boolean => unit >= "\u2e80"; // All other units are ASCII.
const DOTS = "·‧•・"; // Separators between the parts of a foreign name in Chinese.
const BETWEEN = 2; // Maximum number of characters between two words of a name.

/** A named thing: the key is `@kind:name` with its first name; `names` are all of them, folded. */
export type NamedThing = Readonly<Record<"key" | "kind", string>> & { readonly names: readonly string[] };

/** Looks up things by name. A name consists of words, Chinese characters or both; several things may share it. */
export class NameTable<T> {
  readonly #things = new Map<string, T[]>();
  readonly #longest = new Map<string, number>(); // By first word or character: the length of the longest name.

  /** @param names folded, with one space between two words and no other separators */
  add(names: readonly string[], thing: T): void {
    for (const name of names) {
      if (!this.#things.get(name)?.push(thing)) this.#things.set(name, [thing]);
      const [first = ""] = name.match(UNITS) ?? [];
      this.#longest.set(first, Math.max(name.length, this.#longest.get(first) ?? 0));
    }
  }

  /** Finds the things named in a folded text and their spans, in order: the longest name at each position, whole words. */
  *find(folded: string): Generator<{ readonly thing: T; readonly start: number; readonly end: number }> {
    const units = Array.from(folded.matchAll(UNITS), ({ 0: text, index: start }) => ({ text, start }));
    for (let at = 0; at < units.length; at++) {
      const { text: first, start } = units[at]!;
      const most = this.#longest.get(first) ?? 0;
      let [phrase, end] = ["", start];
      let last: { readonly things: readonly T[]; readonly end: number; readonly at: number } | undefined;
      for (let next = at; next < units.length && phrase.length < most; next++) {
        const unit = units[next]!;
        const isWordAfterWord = next > at && !isHan(unit.text) && !isHan(units[next - 1]!.text);
        const isBetweenNames = unit.start - end === 1 && DOTS.includes(folded[end]!);
        if (unit.start - end > (isWordAfterWord ? BETWEEN : 0) && !isBetweenNames) break;
        phrase += isWordAfterWord ? ` ${unit.text}` : unit.text;
        end = unit.start + unit.text.length;
        const things = this.#things.get(phrase);
        if (things !== undefined) last = { things, end, at: next };
      }
      for (const thing of last?.things ?? []) yield { thing, start, end: last!.end };
      at = last?.at ?? at;
    }
  }
}

let news: NameTable<NamedThing> | undefined; // Loaded on first use: it is large, and many processes read no headline.

export function newsNames(): NameTable<NamedThing> {
  if (news !== undefined) return news;
  news = new NameTable();
  for (const [[kind = ""] = [], en = [], zh = []] of readRows(new URL("data/news-names.txt", import.meta.url)))
    news.add([...en, ...zh], { key: `@${kind}:${en[0] ?? zh[0]}`, kind, names: [...en, ...zh] });
  return news;
}

/** The keys of the things of news that a text names. */
export const newsThingsIn = (text: string): string[] =>
  Array.from(newsNames().find(fold(text)), ({ thing }) => thing.key);

export type Names = readonly string[]; // All names of one thing, folded.

const KNOWN_ASSETS = new Set(ASSETS.map(({ symbol }) => symbol));
let questionNames: NameTable<Names> | undefined; // Loaded once per process.

function readNames(): NameTable<Names> {
  const names = new NameTable<Names>();
  for (const [, ...columns] of readRows(new URL("data/named-things.txt", import.meta.url)))
    names.add(columns.flat(), columns.flat());
  return names;
}

/** The places, specific things and assets named in a question, each as the list of its folded names. A passage that
 * mentions only other things of the same kind does not answer the question. */
export function namedIn(question: string): Names[] {
  const found = new Set<Names>();
  for (const { thing } of (questionNames ??= readNames()).find(fold(question))) found.add(thing);
  const assets = Array.from(assetsInQuestion(question)).filter((symbol) => KNOWN_ASSETS.has(symbol));
  return [...found, ...assets.map(namesOfAsset)];
}

/** Returns a predicate: whether the text contains one of the given names. Latin names match as whole words. */
export function namesIn(text: string): (names: Names) => boolean {
  const folded = fold(text);
  const words = ` ${folded.replace(/[^a-z\d]+/g, " ")} `;
  return (names) => names.some((name) => (/[a-z\d]/.test(name) ? words.includes(` ${name} `) : folded.includes(name)));
}
