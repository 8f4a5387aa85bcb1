import { editDistance } from "../../runtime/text/edit-distance.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { stem } from "../../language/tokenize.ts";
import type { FoldedText } from "./language-index.ts";
import TUNING from "./tuning.json" with { type: "json" };

const { corrected: CORRECTED, abbreviation: ABBREVIATION, most: MOST } = TUNING.vocabulary;

const CACHED = 1000; // Words with cached corrections: a question is searched in both languages.

/** The English words of the passages as written: candidates for misspelt and abbreviated words. */
export class Vocabulary {
  readonly #words = new Map<string, Map<string, number>>(); // First letter → word → number of occurrences.
  #nearest: ((word: string) => string[]) | undefined; // Created on first use, and dropped by every change.

  /** @param step 1 to add a text, -1 to remove it */
  count({ title, body }: FoldedText, step: 1 | -1): void {
    this.#nearest = undefined;
    for (const [word] of `${title}\n${body}`.matchAll(/[a-z]{3,}/g)) {
      let words = this.#words.get(word[0]!);
      if (words === undefined) this.#words.set(word[0]!, (words = new Map<string, number>()));
      const count = (words.get(word) ?? 0) + step;
      if (count > 0) words.set(word, count);
      else words.delete(word);
    }
  }

  /** Stems of the words nearest to a word that does not occur, by edit distance; none for a short word. */
  corrections(word: string): string[] {
    if (word.length < CORRECTED.letters || !/^[a-z]+$/.test(word)) return [];
    this.#nearest ??= memoized((one: string) => this.#nearestTo(one), CACHED);
    return this.#nearest(word);
  }

  #nearestTo(word: string): string[] {
    const most = word.length >= CORRECTED.twoEdits ? 2 : 1;
    const nearest = new Map<string, number>();
    // A first letter is seldom wrong, but may be swapped with the second.
    for (const letter of new Set([word[0]!, word[1]!])) {
      for (const candidate of this.#words.get(letter)?.keys() ?? []) {
        const distance = editDistance(word, candidate, most);
        if (distance <= most) nearest.set(stem(candidate), Math.min(distance, nearest.get(stem(candidate)) ?? most));
      }
    }
    const least = Math.min(...nearest.values());
    return [...nearest].flatMap(([found, at]) => (at === least ? [found] : [])).slice(0, MOST.candidates);
  }

  /** Stems of words that a word may be short for: "amt" of "amount", "lev" of "leverage". */
  expansions(short: string): string[] {
    if (short.length <= ABBREVIATION.least || short.length > ABBREVIATION.most || !/^[a-z]+$/.test(short)) return [];
    const candidates = new Map<string, number>();
    for (const [word, count] of this.#words.get(short[0]!) ?? [])
      if (isShortFor(short, word)) candidates.set(stem(word), (candidates.get(stem(word)) ?? 0) + count);
    const best = [...candidates].sort((a, b) => b[1] - a[1]).slice(0, MOST.abbreviations);
    return best.map(([word]) => word);
  }
}

/** Whether `short` may abbreviate a word: as its prefix, or as some of its letters with the first and the last. */
function isShortFor(short: string, word: string): boolean {
  if (word.length <= short.length) return false;
  if (word.startsWith(short)) return true;
  if (word.at(-1) !== short.at(-1)) return false;
  if (short.length < 4 && /[aeiou]/.test(short.slice(1))) return false;
  let at = 0;
  for (const letter of word) if (letter === short[at]) at++;
  return at === short.length;
}
