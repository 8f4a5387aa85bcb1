import type { Step } from "../../compute/job-runner.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { headlineTermsOf, TERM_KINDS } from "../../language/terms.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import { createDistinction, type Traits, traitsOf } from "./distinctions.ts";

/** What clustering reads of an item. */
export interface Headline {
  readonly title: string;
  readonly summary: string;
  readonly lang: Language;
  readonly assets: readonly string[];
  readonly at: number; // Milliseconds since the epoch.
}

/** What a headline says. */
export interface Reading extends Pick<Headline, "summary" | "lang"> {
  readonly assets: string;
  readonly id: number;
  /** Its terms as numbers, see {@link termAt}; objects would take 60 MB of 20,000. */
  readonly terms: readonly number[];
  readonly traits: Traits;
}

const { most: MOST } = CLUSTERING;
const IDS = 2 ** 26;

/** What is kept of headlines from one clustering to the next, so that a refresh reads those alone that are new: the terms
 * of each, and which of them report different events. It is found again by the text and never changes a result. */
export class HeadlineMemory {
  #numbers = new Map<string, number>();
  #readings = new Map<string, Reading>(); // By title.
  readonly #compare = createDistinction();
  readonly #pairs = new Map<number, boolean>(); // Whether two of them are apart, by both ids.
  #nextId = 0;

  /** How many terms have a number. */
  terms = (): number => this.#numbers.size;

  /** What each says; what is kept of others is forgotten. */
  async readAll(headlines: readonly Headline[], step: Step): Promise<Reading[]> {
    // Most of the terms may be those of headlines that are gone.
    const before = this.#numbers.size > MOST.known ? new Map<string, Reading>() : this.#readings;
    if (before !== this.#readings) this.#numbers = new Map();
    this.#readings = new Map();
    if (this.#pairs.size > MOST.pairs * headlines.length) this.#pairs.clear();
    const result: Reading[] = [];
    for (const headline of headlines) {
      const { summary, lang, assets } = headline;
      const known = before.get(headline.title);
      const isSame = known?.summary === summary && known.lang === lang && known.assets === assets.join();
      const reading = isSame ? known : this.#read(headline);
      this.#readings.set(headline.title, reading);
      result.push(reading);
      await step();
    }
    return result;
  }

  #read({ title, summary, lang, assets }: Headline): Reading {
    const titleTerms = headlineTermsOf(title, assets);
    const inTitle = new Set(titleTerms.map(({ key }) => key));
    const allTerms = summary === "" ? titleTerms : headlineTermsOf(`${title}\n${summary}`, assets);
    const terms = allTerms.slice(0, MOST.terms).map(({ key, kind }) => {
      const number = this.#numbers.get(key) ?? this.#numbers.size;
      this.#numbers.set(key, number);
      return (number << 4) | (TERM_KINDS.indexOf(kind) << 1) | Number(inTitle.has(key));
    });
    return { summary, lang, assets: assets.join(), id: this.#nextId++, terms, traits: traitsOf(title, lang, inTitle) };
  }

  /** Whether two report different events, see {@link createDistinction}. */
  apart(a: Reading, b: Reading): boolean {
    const pair = a.id * IDS + b.id;
    let result = this.#pairs.get(pair);
    if (result === undefined) this.#pairs.set(pair, (result = this.#compare(a.traits, b.traits)));
    return result;
  }
}

/** The number of a term in a reading, its kind as an index of {@link TERM_KINDS}, and whether the title has it. */
export const termAt = (code: number) => ({ number: code >> 4, kind: (code >> 1) & 7, isInTitle: (code & 1) === 1 });
