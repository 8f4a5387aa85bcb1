import { CONCEPTS } from "./bilingual-concepts.ts";
import { quantitiesOf } from "./quantities.ts";

/** English words that carry no topic, those of headlines included. */
const STOP = new Set(
  `a about above after again against ago all also am amid an and any are as at be because been before being below between
  both but by can could day did do does doing down during each few first for from further get gets getting go goes going
  got had has have having he her here hers him his how i if in inc into is it its itself just know last latest let like
  ltd make makes many may me might more most much must my need new news next no nor not now of off on once one only or
  other our out over own per report reports review s said same say says see set she should show shows so some still such
  take takes than that the their them then there these they thing things think this those three through time to today
  tonight too two under until up update updates us very via video vs was watch we week were what when where which while
  who whom why will with would year years yesterday you your`.split(/\s+/),
);

/** What a term is, which decides its weight and whether it means the same in every language. */
export type TermKind = "word" | "han" | "concept" | "number" | "asset";

/** A term of a document. */
export interface Term {
  readonly key: string;
  readonly kind: TermKind;
}

/** Strips the endings that English headlines vary most: possessive, plural, -ed, -ing. */
export function stem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  const base = word
    .replace(/'s?$/, "")
    .replace(/(?<=[a-z]{2})ies$/, "y")
    .replace(/(?<=s|x|z|ch|sh)es$/, "")
    .replace(/(?<=[a-z]{2}[^su])s$/, "");
  return base.length < 6 ? base : base.replace(/(?<=[a-z]{3}[^aeiou])(?:ed|ing)$/, "");
}

const MAX_PHRASE = 3;
const EN_CONCEPTS = new Map(
  CONCEPTS.flatMap(({ id, en }) => en.map((name) => [name.split(" ").map(stem).join(" "), id] as const)),
);
const ZH_CONCEPTS = new Map(CONCEPTS.flatMap(({ id, zh }) => zh.map((name) => [name, id] as const)));
const LONGEST_ZH = Math.max(...Array.from(ZH_CONCEPTS.keys(), (name) => name.length));

/** The distinct terms of a text; `assets` are the tickers it is about. */
export function termsOf(text: string, assets: readonly string[]): Term[] {
  const terms = new Map<string, TermKind>();
  for (const symbol of assets) terms.set(`$${symbol}`, "asset");
  let folded = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/\bu\.s\.?(?![a-z])/g, "america");
  for (const { value, percent, start, end } of quantitiesOf(folded)) {
    const isYear = !percent && /^(?:19|20)\d\d$/.test(folded.slice(start, end));
    if (percent) terms.set(`#${significant(value, 2)}%`, "number");
    else if (value >= 10 && !isYear) {
      terms.set(`#${significant(value, 3)}`, "number");
      terms.set(`#~${significant(value, 2)}`, "number");
    }
  }
  folded = folded.replace(/(?<![\p{L}\d])\d[\d,.]*%?(?:[kmb](?![a-z]))?/gu, " ");
  const english: string[] = [];
  for (const [run] of folded.matchAll(/\p{Script=Han}+|[\p{L}\d]+(?:['&.-][\p{L}\d]+)*/gu)) {
    if (/^\p{Script=Han}/u.test(run)) chineseTerms(run, terms);
    else english.push(run);
  }
  englishTerms(english, terms);
  return Array.from(terms, ([key, kind]) => ({ key, kind }));
}

function significant(value: number, digits: number): string {
  return value.toExponential(digits - 1);
}

function englishTerms(words: readonly string[], terms: Map<string, TermKind>): void {
  const stems = words.map(stem);
  for (const [index, word] of words.entries()) {
    for (let length = Math.min(MAX_PHRASE, words.length - index); length > 0; length--) {
      const concept = EN_CONCEPTS.get(stems.slice(index, index + length).join(" "));
      if (concept === undefined) continue;
      terms.set(`@${concept}`, "concept");
      break;
    }
    const base = stems[index]!;
    if (!STOP.has(word) && !STOP.has(base) && base.length > 1) terms.set(base, "word");
  }
}

function chineseTerms(run: string, terms: Map<string, TermKind>): void {
  for (let at = 0; at < run.length;) {
    let length = Math.min(LONGEST_ZH, run.length - at);
    while (length > 0 && !ZH_CONCEPTS.has(run.slice(at, at + length))) length -= 1;
    if (length > 0) terms.set(`@${ZH_CONCEPTS.get(run.slice(at, at + length))!}`, "concept");
    at += Math.max(1, length);
  }
  for (let at = 0; at + 1 < run.length; at++) terms.set(run.slice(at, at + 2), "han");
}
