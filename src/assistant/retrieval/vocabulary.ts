import { editDistance } from "../../runtime/text/edit-distance.ts";
import { stem } from "../../language/tokenize.ts";
import TUNING from "./tuning.json" with { type: "json" };
import { STOP_WORDS } from "../../language/stop-words.ts";

const { corrected: CORRECTED, abbreviation: ABBREVIATION, phrase: PHRASE, most: MOST } = TUNING.vocabulary;

/** The fields of a passage, folded and without markup. */
export interface FoldedText {
  readonly title: string;
  readonly body: string;
}

/** The English words of the passages as they are written: what misspelt and abbreviated words may stand for. */
export class Vocabulary {
  /** First letter → word → number of occurrences. */
  readonly #words = new Map<string, Map<string, number>>();
  /** Initials → phrase of stems → number of occurrences. */
  readonly #phrases = new Map<string, Map<string, number>>();

  /** @param step 1 to add a text, -1 to remove it */
  count({ title, body }: FoldedText, step: 1 | -1): void {
    for (const [word] of `${title}\n${body}`.matchAll(/[a-z]{3,}/g)) {
      let words = this.#words.get(word[0]!);
      if (words === undefined) this.#words.set(word[0]!, (words = new Map<string, number>()));
      change(words, word, step);
    }
    this.#countPhrases(title, step * PHRASE.inTitle);
    this.#countPhrases(body.slice(0, TUNING.vocabulary.introduction), step);
  }

  /** Stems of the words nearest to a word that does not occur, by edit distance; none for a short word. */
  corrections(word: string): string[] {
    if (word.length < CORRECTED.letters || !/^[a-z]+$/.test(word)) return [];
    const most = word.length >= CORRECTED.twoEdits ? 2 : 1;
    const nearest = new Map<string, number>();
    // A first letter is seldom wrong, but may have changed places with the second.
    for (const letter of new Set([word[0]!, word[1]!])) {
      for (const candidate of this.#words.get(letter)?.keys() ?? []) {
        const distance = editDistance(word, candidate, most);
        if (distance <= most) nearest.set(stem(candidate), Math.min(distance, nearest.get(stem(candidate)) ?? most));
      }
    }
    const least = Math.min(...nearest.values());
    return [...nearest].flatMap(([found, at]) => (at === least ? [found] : [])).slice(0, MOST.candidates);
  }

  /** Phrases of stems, separated by blanks, that a word may be the initials of: "fd" of "fix deposit". */
  phrases(initials: string): string[] {
    if (initials.length < ABBREVIATION.least || initials.length > ABBREVIATION.most) return [];
    const found = [...(this.#phrases.get(initials) ?? [])].filter(([, count]) => count >= PHRASE.occurrences);
    found.sort((a, b) => b[1] - a[1]);
    const rivals = found.filter(([, count]) => count >= found[0]![1] * PHRASE.rival);
    return rivals.slice(0, MOST.ofInitials).map(([phrase]) => phrase);
  }

  /** Stems of words that a word may be short for: "amt" of "amount", "lev" of "leverage". */
  expansions(short: string): string[] {
    if (short.length <= ABBREVIATION.least || short.length > ABBREVIATION.most || !/^[a-z]+$/.test(short)) return [];
    const candidates = new Map<string, number>();
    for (const [word, count] of this.#words.get(short[0]!) ?? []) {
      if (isShortFor(short, word)) candidates.set(stem(word), (candidates.get(stem(word)) ?? 0) + count);
    }
    const best = [...candidates].sort((a, b) => b[1] - a[1]).slice(0, MOST.abbreviations);
    return best.map(([word]) => word);
  }

  #countPhrases(folded: string, step: number): void {
    for (const clause of folded.split(/[\n.,;:()!?]/)) {
      const words = clause.match(/[a-z]+/g) ?? [];
      const stems = words.map((word) => stem(word));
      for (let from = 0; from < words.length; from++) {
        for (let length = PHRASE.least; length <= PHRASE.most && from + length <= words.length; length++) {
          this.#countPhrase(words.slice(from, from + length), stems.slice(from, from + length), step);
        }
      }
    }
  }

  /** Counts a phrase by the initials of its words, and by those of its telling words: "poa" and "pa". */
  #countPhrase(words: readonly string[], stems: readonly string[], step: number): void {
    if (STOP_WORDS.has(stems[0]!) || STOP_WORDS.has(stems.at(-1)!)) return;
    const telling = stems.filter((word) => !STOP_WORDS.has(word));
    const initials = (list: readonly string[]): string => list.map((word) => word[0]).join("");
    for (const key of new Set([initials(words), initials(telling)])) {
      let phrases = this.#phrases.get(key);
      if (phrases === undefined) {
        if (this.#phrases.size >= MOST.phrases) return;
        this.#phrases.set(key, (phrases = new Map<string, number>()));
      }
      change(phrases, telling.join(" "), step);
    }
  }
}

function change(counts: Map<string, number>, key: string, step: number): void {
  const count = (counts.get(key) ?? 0) + step;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

/** Whether a word may be shortened so: to its beginning, or to some of its letters with the first and the last. */
function isShortFor(short: string, word: string): boolean {
  if (word.length <= short.length) return false;
  if (word.startsWith(short)) return true;
  if (word.at(-1) !== short.at(-1)) return false;
  if (short.length < 4 && /[aeiou]/.test(short.slice(1))) return false;
  let at = 0;
  for (const letter of word) if (letter === short[at]) at++;
  return at === short.length;
}
