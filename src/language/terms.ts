import { fold } from "./fold.ts";
import { stem } from "./porter-stem.ts";
import { unifySynonyms } from "./synonyms.ts";

const UNITS = /\d+(?:[.,]\d+)+|\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}])+(?:['’][a-z]+)?/gu;
const IS_HAN = /^\p{Script=Han}/u;

/** A run of Chinese characters, or a word or number of another script; folded. */
export interface Unit {
  readonly text: string;
  readonly han: boolean;
}

/** The words, numbers and Chinese runs of a text, folded, in order. */
export function unitsOf(text: string): Unit[] {
  return unitsOfFolded(fold(text));
}

function unitsOfFolded(folded: string): Unit[] {
  const units: Unit[] = [];
  for (const [match] of folded.matchAll(UNITS)) {
    if (IS_HAN.test(match)) units.push({ text: match, han: true });
    else if (/^\d/.test(match) && match.includes(",")) units.push({ text: match.replaceAll(",", ""), han: false });
    else units.push({ text: match.replace(/['’].*$/, ""), han: false });
  }
  return units;
}

/**
 * Terms for retrieval, synonyms of the trade unified. English: stemmed words. Chinese needs no dictionary: each character and each pair of
 * neighbours is a term (Nie, Gao, Zhang & Zhou 2000 found unigrams with bigrams as good as words).
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const unit of unitsOfFolded(unifySynonyms(fold(text)))) {
    if (!unit.han) {
      terms.push(stem(unit.text));
      continue;
    }
    const characters = Array.from(unit.text);
    for (let at = 0; at < characters.length; at++) {
      terms.push(characters[at]!);
      if (at + 1 < characters.length) terms.push(characters[at]! + characters[at + 1]!);
    }
  }
  return terms;
}
