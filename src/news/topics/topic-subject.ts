import { readRows, readWords } from "../../runtime/text/data-rows.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { ASSETS, NOT_TICKERS, assetsInNews } from "../../language/assets.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { NewsItem } from "../snapshot/projection.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { HEADLINE_STOP_WORDS } from "../../language/stop-words.ts";
import { stem } from "../../language/tokenize.ts";
import { headlineTermsOf } from "../../language/terms.ts";
import { toSimplified } from "../../language/traditional.ts";

/** Who or what a topic is about, as it is called in each language. */
export interface Subject {
  readonly kind: "name" | "asset" | "place" | "institution";
  readonly en: string;
  readonly zh: string;
}

/** What questions are made of an item by. */
export type Reported = Pick<NewsItem, "title" | "summary" | "lang" | "symbols">;

/** A topic's subjects in one language, the most specific first: names that half of the items carry, one in that
 * language among them, then assets of titles, then institutions and places that a third of all items are about. */
export function subjectsOf(items: readonly Reported[], lang: Language): Subject[] {
  const texts = items.filter((item) => item.lang === lang).map(textOf);
  const frequent = namesOf(items).filter(({ count }) => count * 2 >= items.length);
  const names = frequent.filter(({ name }) => texts.some((text) => text.includes(name)));
  const assets = groupBy(items.flatMap(assetsOf), String);
  const concepts = groupBy(items.map(({ title }) => title).flatMap(properIn), String);
  const known = [...assets, ...Array.from(PROPER.keys(), (key) => [key, concepts.get(key) ?? []] as const)]
    .filter(([, { length }]) => length * 3 >= items.length)
    .sort(([, a], [, b]) => b.length - a.length);
  const named = names.map(({ name }): Subject => ({ kind: "name", en: name, zh: name }));
  return [...named, ...known.map(([key]) => PROPER.get(key) ?? assetSubject(key, items))];
}

const textOf = ({ title, summary }: Reported): string => `${title} ${summary}`;

/** The assets of an item that its title names. */
function assetsOf({ title, symbols }: Reported): string[] {
  const named = new Set(assetsInNews(title, symbols));
  return symbols.filter((symbol) => named.has(symbol));
}

/** An asset as the items call it: a Chinese name only where they use one. */
function assetSubject(symbol: string, items: readonly Reported[]): Subject {
  const names = ASSETS.find((asset) => asset.symbol === symbol)?.names ?? [];
  const latin = names.find((name) => /^[a-z]/i.test(name) && name.toLowerCase() !== symbol.toLowerCase());
  const en = latin?.replace(/(?<!\p{L})\p{Ll}/gu, (letter) => letter.toUpperCase()) ?? symbol;
  const text = toSimplified(items.map(textOf).join("\n"));
  const used = names.find((name) => /^\p{Script=Han}/u.test(name) && text.includes(name));
  return { kind: "asset", en, zh: used ?? en };
}

const PROPER = new Map(
  readRows(new URL("data/proper-names.txt", import.meta.url)).map((row) => {
    const [concept, kind, en = "", zh = ""] = row.flat();
    return [`@${concept}`, { kind: kind as Subject["kind"], en, zh }];
  }),
);

/** The concepts of a title that have a proper name; kept, since a topic is read again with each new item. */
const properIn = memoized(
  (title: string) => Array.from(headlineTermsOf(title, []).keys()).filter((key) => PROPER.has(key)),
  20_000,
);
const NAME =
  /(?<![\p{Script=Latin}\d$])\p{Lu}(?:(?!\p{Script=Han})[\p{L}\d])+(?: \p{Lu}(?:(?!\p{Script=Han})[\p{L}\d])*)*/gu;
const LOWER_CASE = /(?<!\p{L})\p{Ll}[\p{L}\d]+/gu;
const ASSET_NAMES = new Set(ASSETS.flatMap(({ symbol, names }) => [symbol, ...names].map((one) => one.toLowerCase())));
/** Capitalised words that name no company, protocol or person. */
const NO_NAME = new Set(readWords(new URL("data/capitalised-words.txt", import.meta.url)));
const COMMON = new Set(readWords(new URL("data/common-words.txt", import.meta.url)));
const isListed = (word: string): boolean =>
  HEADLINE_STOP_WORDS.has(stem(word)) || (NO_NAME.has(word) && COMMON.has(word));
/** Whether a capitalised word is of the language's own and no name begins with it; "US" is a name. */
export const isStopWord = (word: string): boolean => /^.\P{Lu}*$/u.test(word) && isListed(word.toLowerCase());
/** Whether a word that begins a title in a capital is none of a name. */
export const isCommon = (word: string): boolean =>
  COMMON.has(word.toLowerCase().replace(/['’]s$/, "")) ||
  isStopWord(word) ||
  /.{3}(?:tion|ment|ness|ism|ists|ings?)$/.test(word);
export const isNoName = (word: string): boolean => NO_NAME.has(word.toLowerCase()) || isCommon(word);

/** Latin names in a title, with the number of items that carry them. A capitalised word that begins a sentence is one
 * if it is capitalised within one too, or is neither in the lexicon nor ever in lower case. Title Case is ignored. A
 * longer name replaces its parts when half of the items with the part write it. */
function namesOf(items: readonly Reported[]): { name: string; count: number }[] {
  const sure = new Set<string>();
  const tickers = new Set(items.flatMap(({ symbols }) => symbols));
  const lower = new Set(items.flatMap((item) => textOf(item).match(LOWER_CASE) ?? []));
  const isRare = (name: string): boolean =>
    !lower.has(name.toLowerCase()) && Array.from(headlineTermsOf(name, []).values()).every((kind) => kind === "word");
  const found = items.map(({ title, summary, lang }) => {
    const texts = isTitleCase(title) ? ["", summary] : [title, summary];
    return texts.map((text) => {
      const names = new Set<string>();
      for (const match of text.matchAll(NAME)) {
        const isStart = lang === "en" && /(?:^|[.!?:]\s+["“‘]?)$/.test(text.slice(0, match.index));
        for (const name of phrasesOf(match[0])) {
          names.add(name);
          if (!sure.has(name) && (!isStart || isRare(name))) sure.add(name);
        }
      }
      return names;
    });
  });
  const scores = new Map<string, { count: number; titles: number }>();
  for (const [inTitle, inSummary] of found) {
    for (const name of new Set([...inTitle!, ...inSummary!])) {
      if (!sure.has(name) || tickers.has(name)) continue;
      const score = scores.get(name) ?? { count: 0, titles: 0 };
      scores.set(name, { count: score.count + 1, titles: score.titles + (inTitle!.has(name) ? 1 : 0) });
    }
  }
  const isPart = (name: string, count: number): boolean =>
    Array.from(scores).some(
      ([longer, score]) => longer !== name && ` ${longer} `.includes(` ${name} `) && score.count * 2 >= count,
    );
  return Array.from(scores, ([name, score]) => ({ name, ...score }))
    .filter(({ name, count, titles }) => titles > 0 && (count > 1 || items.length === 1) && !isPart(name, count))
    .sort((a, b) => b.count + b.titles - a.count - a.titles || (a.name < b.name ? -1 : 1));
}

/** Every run of words of a capitalised phrase, broken where a word names nothing. */
function phrasesOf(phrase: string): string[] {
  const runs: string[][] = [[]];
  for (const word of phrase.split(" ")) {
    const lower = word.toLowerCase();
    if (NO_NAME.has(lower) || isStopWord(word) || ASSET_NAMES.has(lower) || NOT_TICKERS.has(word)) runs.push([]);
    else runs.at(-1)!.push(word);
  }
  const phrases: string[] = [];
  for (const run of runs)
    for (const from of run.keys())
      for (let end = from + 1; end <= run.length; end++) phrases.push(run.slice(from, end).join(" "));
  return phrases.filter((name) => !isCommon(name));
}

export function isTitleCase(title: string): boolean {
  const words = title.match(/(?<!\p{L})\p{Script=Latin}{4,}/gu) ?? [];
  return words.length > 3 && words.filter((word) => /^\p{Lu}/u.test(word)).length > words.length * 0.7;
}
