import type { Step } from "../../compute/job-runner.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { REPORTING_WORDS } from "../../language/stop-words.ts";
import { newsNames } from "../../language/name-table.ts";
import { headlineTermsOf, TERM_KINDS } from "../../language/terms.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import { differBetween, RULES, rulesOf, type Traits, traitsOf } from "./distinctions.ts";
import { AttentionNetwork, type NetworkText } from "../../language/attention/attention-network.ts";
import { overlapOf } from "../../language/attention/difference.ts";

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
  readonly text: () => NetworkText; // As the network reads it, read when it is first compared.
  readonly likenesses: Map<number, number>; // How surely others are one event with it, by their ids.
}

const { most: MOST, network: NETWORK } = CLUSTERING;
let network: AttentionNetwork | undefined; // The same for the whole process.
const openNetwork = (): AttentionNetwork =>
  (network ??= new AttentionNetwork(new URL("title-network.br", import.meta.url), RULES));

/** What is kept of headlines from one clustering to the next, so that a refresh reads those alone that are new: the terms
 * of each, and which of them report different events. It is found again by the text and never changes a result. */
export class HeadlineMemory {
  #numbers = new Map<string, number>();
  #readings = new Map<string, Reading>(); // By title.
  #nextId = 0;

  /** How many terms have a number. */
  terms = (): number => this.#numbers.size;

  /** What each says; what is kept of others is forgotten. */
  async readAll(headlines: readonly Headline[], step: Step): Promise<Reading[]> {
    // Most of the terms may be those of headlines that are gone.
    const before = this.#numbers.size > MOST.known ? new Map<string, Reading>() : this.#readings;
    if (before !== this.#readings) this.#numbers = new Map();
    this.#readings = new Map();
    const result: Reading[] = [];
    for (const headline of headlines) {
      const known = before.get(headline.title);
      const reading = known !== undefined && isOf(known, headline) ? known : this.#read(headline);
      if (reading.likenesses.size > MOST.pairs) reading.likenesses.clear();
      this.#readings.set(headline.title, reading);
      result.push(reading);
      await step();
    }
    return result;
  }

  #read({ title, summary, lang, assets }: Headline): Reading {
    const titleTerms = headlineTermsOf(title, assets);
    const allTerms = summary === "" ? titleTerms : headlineTermsOf(`${title}\n${summary}`, assets);
    const terms: number[] = [];
    for (const [key, kind] of allTerms) {
      if (terms.length === MOST.terms) break;
      const number = this.#numbers.get(key) ?? this.#numbers.size;
      this.#numbers.set(key, number);
      terms.push((number << 4) | (TERM_KINDS.indexOf(kind) << 1) | Number(titleTerms.has(key)));
    }
    let text: NetworkText | undefined;
    return {
      summary,
      lang,
      assets: assets.join(),
      id: this.#nextId++,
      terms,
      traits: traitsOf(title, titleTerms.keys()),
      text: () => (text ??= readTitle(title)),
      likenesses: new Map(),
    };
  }

  /** How surely two report one event: below 0 they are apart, infinite where the rules see nothing against it and the
   * network is not asked. */
  likeness(a: Reading, b: Reading): number {
    let likeness = a.likenesses.get(b.id);
    if (likeness === undefined) a.likenesses.set(b.id, (likeness = likenessOf(a, b)));
    return likeness;
  }
}

const isOf = (known: Reading, { summary, lang, assets }: Headline): boolean =>
  known.summary === summary && known.lang === lang && known.assets === assets.join();

function readTitle(title: string): NetworkText {
  const text = openNetwork().read(title, newsNames());
  return { ...text, units: text.units.filter(({ key }) => !REPORTING_WORDS.has(key)) };
}

/** How surely two headlines report one event, as a logit: where they share enough, as a network judges that weighs what
 * the rules say; else by the rules alone. */
function likenessOf(a: Reading, b: Reading): number {
  const [x, y] = [a.text(), b.text()];
  const isOneLanguage = a.lang === b.lang;
  const overlap = overlapOf(x, y);
  const { areDistinct, measures } = rulesOf(a.traits, b.traits, overlap);
  if (isOneLanguage && overlap < NETWORK.overlap.judged) return areDistinct ? -Infinity : Infinity;
  const logit = openNetwork().compare(x, y, measures) + (isOneLanguage && overlap === 1 ? NETWORK.contained : 0);
  const areApart = areDistinct || (isOneLanguage && differBetween(x.units, y.units));
  const likeness = logit - (areApart ? NETWORK.distinct : 0) - NETWORK.apart[isOneLanguage ? "same" : "across"];
  return likeness >= 0 && isOneLanguage && overlap < NETWORK.overlap.alike ? Infinity : likeness;
}

/** The number of a term in a reading, its kind as an index of {@link TERM_KINDS}, and whether the title has it. */
export const termAt = (code: number) => ({ number: code >> 4, kind: (code >> 1) & 7, isInTitle: (code & 1) === 1 });
