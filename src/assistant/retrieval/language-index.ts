import { stem, fold, tokenizeFolded } from "../../language/tokenize.ts";

/** BM25F (Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework", §3.6), tuned on CMRC 2018 and XQuAD. */
const BM25F = { k1: 1.2, title: { weight: 2.5, b: 0.3 }, body: { weight: 1, b: 0.6 } };
/** A posting in 32 bits: the document's number, then the term's frequencies in title and body, capped. */
const BITS = { title: 4, body: 7 };
const FREQUENCY_BITS = BITS.title + BITS.body;
const MOST_IN = { title: 2 ** BITS.title - 1, body: 2 ** BITS.body - 1 };

class Postings {
  packed = new Uint32Array(4);
  count = 0;
  title = 0;
  body = 0;

  append(document: number): void {
    if (this.count === this.packed.length) {
      const larger = new Uint32Array(2 * this.count);
      larger.set(this.packed);
      this.packed = larger;
    }
    const [title, body] = [Math.min(this.title, MOST_IN.title), Math.min(this.body, MOST_IN.body)];
    this.packed[this.count++] = document * 2 ** FREQUENCY_BITS + (title << BITS.body) + body;
    [this.title, this.body] = [0, 0];
  }

  remove(document: number): void {
    let at = 0;
    while (at < this.count && this.packed[at]! >>> FREQUENCY_BITS !== document) at++;
    this.packed[at] = this.packed[--this.count]!;
  }
}

/** A word or phrase that matches a document if the document contains all its terms. */
export interface Alternative {
  readonly terms: readonly string[];
  readonly weight: number; // 0 to 1: confidence that it means the same as the question's own words.
}

/** One concept of a query, with the alternatives by which documents may express it. */
export interface TermGroup {
  readonly weight: number;
  readonly alternatives: readonly Alternative[];
  readonly salience?: number; // Informativeness of its word, independent of the documents, 0 to 1.
}

/** A group of a query, with its weight in this index. */
export interface WeightedGroup extends TermGroup {
  readonly gain: number; // Weight times inverse document frequency.
  readonly rarity: number; // Inverse document frequency relative to that of a term in one document; above 1 if no document matches.
}

/** The fields of a document, folded and without markup. */
export type FoldedText = { readonly title: string; readonly body: string };

/** An inverted index of the documents of one language. After updates, scores equal those of an index built from scratch. */
export class LanguageIndex {
  readonly #postings = new Map<string, Postings>(); // By term.
  readonly #titles: number[] = []; // Number of terms by document, as of the bodies.
  readonly #bodies: number[] = [];
  #titleTerms = 0;
  #bodyTerms = 0;
  size = 0; // Documents.
  changes = 0;

  /** @param document a number that is not in use; small ones cost less memory */
  add(document: number, text: FoldedText): void {
    const [title, body] = [termsOfFolded(text.title), termsOfFolded(text.body)];
    const found: Postings[] = [];
    for (const term of title) this.#postingsOf(term, found).title++;
    for (const term of body) this.#postingsOf(term, found).body++;
    for (const postings of found) postings.append(document);
    for (const lengths of [this.#titles, this.#bodies]) while (lengths.length <= document) lengths.push(0);
    this.#titles[document] = title.length;
    this.#bodies[document] = body.length;
    this.#count(1, title.length, body.length);
  }

  /** @param text the same as when the document was added */
  remove(document: number, text: FoldedText): void {
    const [title, body] = [termsOfFolded(text.title), termsOfFolded(text.body)];
    for (const term of new Set([...title, ...body])) {
      const postings = this.#postings.get(term)!;
      postings.remove(document);
      if (postings.count === 0) this.#postings.delete(term);
    }
    this.#count(-1, -title.length, -body.length);
  }

  documentFrequency(term: string): number {
    return this.#postings.get(term)?.count ?? 0;
  }

  terms(): string[] {
    return Array.from(this.#postings.keys());
  }

  /** Scores the documents for a query: the sum over its groups, each with the summed frequencies of its alternatives. */
  score(groups: readonly TermGroup[]): Scores {
    const scores = new Scores(this.#titles.length);
    for (const group of groups) {
      for (const one of group.alternatives) this.#addFrequencies(scores, one);
      scores.endGroup(group, this.size);
    }
    return scores;
  }

  /** The postings of a term of a document. @param found collects the document's postings, each once */
  #postingsOf(term: string, found: Postings[]): Postings {
    let postings = this.#postings.get(term);
    if (postings === undefined) this.#postings.set(term, (postings = new Postings()));
    if (postings.title + postings.body === 0) found.push(postings);
    return postings;
  }

  #count(documents: number, titleTerms: number, bodyTerms: number): void {
    this.size += documents;
    this.#titleTerms += titleTerms;
    this.#bodyTerms += bodyTerms;
    this.changes++;
  }

  /** Adds the weighted frequencies of an alternative (Darwish & Oard 2003, structured queries). The frequency of a word in
   * a document is that of its rarest term. */
  #addFrequencies(scores: Scores, { terms, weight }: Alternative): void {
    const lists = terms.flatMap((term) => this.#postings.get(term) ?? []);
    if (lists.length < terms.length || weight === 0) return;
    const last = lists.sort((a, b) => a.count - b.count).pop()!;
    let matching: Map<number, number> | undefined; // The documents with all terms so far, and the word's frequency in each.
    for (const list of lists) {
      const next = new Map<number, number>();
      this.#visit(list, matching, (document, frequency) => next.set(document, frequency));
      matching = next;
    }
    this.#visit(last, matching, (document, frequency) => scores.add(document, weight * frequency));
  }

  /** Visits the documents of a term, with its frequency, length-normalised over both fields.
   * @param most the only documents to visit, with the highest frequency in each; all by default */
  #visit(
    { packed, count }: Postings,
    most: ReadonlyMap<number, number> | undefined,
    each: (document: number, frequency: number) => void,
  ) {
    const { title: t, body: b } = BM25F;
    const perTitle = (t.b * this.size) / Math.max(this.size, this.#titleTerms);
    const perBody = (b.b * this.size) / Math.max(this.size, this.#bodyTerms);
    for (const posting of packed.subarray(0, count)) {
      const document = posting >>> FREQUENCY_BITS;
      const limit = most === undefined ? Infinity : most.get(document);
      if (limit === undefined) continue;
      const inTitle = (posting >>> BITS.body) & MOST_IN.title;
      const inBody = posting & MOST_IN.body;
      let frequency = (b.weight * inBody) / (1 - b.b + perBody * this.#bodies[document]!);
      if (inTitle > 0) frequency += (t.weight * inTitle) / (1 - t.b + perTitle * this.#titles[document]!);
      each(document, Math.min(frequency, limit));
    }
  }
}

/** The documents that match a query, and their scores. */
export class Scores {
  readonly groups: WeightedGroup[] = [];
  mass = 0; // The upper bound of scores: every group with infinite frequency.
  readonly #scores: Float64Array; // By document number, as the frequencies.
  readonly #scored: number[] = [];
  readonly #frequencies: Float64Array; // In the documents found for the current group.
  #found: number[] = [];

  constructor(size: number) {
    this.#scores = new Float64Array(size);
    this.#frequencies = new Float64Array(size);
  }

  /** Adds a frequency to those of a document in the current group. */
  add(document: number, frequency: number): void {
    if (this.#frequencies[document] === 0) this.#found.push(document);
    this.#frequencies[document]! += frequency;
  }

  /** Adds the scores of a group, weighted by its inverse document frequency (Robertson & Spärck Jones 1976), which is never
   * negative. @param size number of documents */
  endGroup(group: TermGroup, size: number): void {
    const matching = this.#found.length;
    const idf = Math.log(1 + (size - matching + 0.5) / (matching + 0.5));
    const gain = group.weight * (group.salience ?? 1) * idf;
    this.groups.push({ ...group, gain, rarity: idf / Math.log(1 + (Math.max(1, size) - 0.5) / 1.5) });
    this.mass += gain * (BM25F.k1 + 1);
    for (const document of this.#found) {
      const frequency = this.#frequencies[document]!;
      if (this.#scores[document] === 0) this.#scored.push(document);
      this.#scores[document]! += (gain * (BM25F.k1 + 1) * frequency) / (BM25F.k1 + frequency);
      this.#frequencies[document] = 0;
    }
    this.#found = [];
  }

  of(document: number): number {
    return this.#scores[document] ?? 0;
  }

  highest(): number {
    return this.#scored.reduce((highest, document) => Math.max(highest, this.#scores[document]!), 0);
  }

  /** The best documents, in no particular order. @param weightOf weight of a document's score, 0 to 1 */
  best(count: number, weightOf: (document: number) => number): number[] {
    let best: { readonly document: number; readonly score: number }[] = [];
    let least = 0;
    const cut = (): void => void (best = best.sort((a, b) => b.score - a.score).slice(0, count));
    for (const document of this.#scored) {
      const score = this.#scores[document]!;
      if (score <= least) continue; // Weights are at most 1, so the document cannot qualify.
      const weighted = score * weightOf(document);
      if (weighted <= least) continue;
      best.push({ document, score: weighted });
      if (best.length < 2 * count) continue;
      cut();
      least = best.at(-1)!.score;
    }
    cut();
    return best.map(({ document }) => document);
  }
}

/** Terms for search, in order and repeated as in the text. English: stemmed words. Chinese needs no dictionary: each
 * character and each pair of neighbours is a term (Nie, Gao, Zhang & Zhou 2000 found unigrams with bigrams as good as words).
 * @example searchTerms("Closing 账户"); // ["close", "账", "账户", "户"] */
export const searchTerms = (text: string): string[] => termsOfFolded(fold(text));

export function termsOfFolded(folded: string): string[] {
  const terms: string[] = [];
  for (const { text: token, han } of tokenizeFolded(folded)) {
    if (!han) terms.push(stem(token));
    let before = "";
    for (const character of han ? token : "") {
      if (before !== "") terms.push(before + character);
      terms.push(character);
      before = character;
    }
  }
  return terms;
}

/** The terms that a text must contain to match a word or phrase approximately; for Chinese, its pairs of characters. */
export function termsOfWord(word: string): string[] {
  if (!/^\p{Script=Han}/u.test(word)) return word.split(" ");
  const characters = Array.from(word);
  if (characters.length <= 2) return [word];
  return characters.slice(1).map((character, at) => characters[at]! + character);
}
