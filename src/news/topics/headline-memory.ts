import type { Step } from "../../compute/job-runner.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { REPORTING_WORDS } from "../../language/stop-words.ts";
import { newsNames } from "../../language/name-table.ts";
import { headlineTermsOf, TERM_KINDS } from "../../language/terms.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import ATTRIBUTION from "./attribution-patterns.json" with { type: "json" };
import CLUSTERING from "./clustering.json" with { type: "json" };
import { differBetween, RULES, rulesOf, traitsOf } from "./distinctions.ts";
import { AttentionNetwork, type NetworkText } from "../../language/attention/attention-network.ts";
import { overlapOf, rarityShared } from "../../language/attention/difference.ts";

/** The fields of an item that clustering reads. */
export interface Headline {
  readonly title: string;
  readonly summary: string;
  readonly lang: Language;
  readonly assets: readonly string[];
  readonly at: number; // Milliseconds since the epoch.
}

const { most: MOST, network: NETWORK, evidence: EVIDENCE } = CLUSTERING;
/** What says that an unnamed authority says the rest: "officials say". */
const { attribution } = patternsOf(ATTRIBUTION, "iu");
let network: AttentionNetwork | undefined; // Loaded once per process.
const openNetwork = (): AttentionNetwork =>
  (network ??= new AttentionNetwork(new URL("title-network.br", import.meta.url), RULES));

/** A cache of headline features between clusterings, so that a refresh processes only new headlines: the terms of each, and
 * the likeness of pairs. Its keys are the texts, and it never changes a result. */
export class HeadlineMemory {
  #numbers = new Map<string, number>();
  #readings = new Map<string, Reading>(); // By title.
  #nextId = 0;

  terms = (): number => this.#numbers.size; // The number of known terms.

  /** The readings of the headlines. Cached readings of other headlines are dropped. */
  async readAll(headlines: readonly Headline[], step: Step): Promise<Reading[]> {
    // Most of the terms may belong to dropped headlines, so the numbers are reset.
    const before = this.#numbers.size > MOST.known ? new Map<string, Reading>() : this.#readings;
    if (before !== this.#readings) this.#numbers = new Map();
    this.#readings = new Map();
    const result: Reading[] = [];
    for (const headline of headlines) {
      const known = before.get(headline.title);
      const reading =
        known !== undefined && isOf(known, headline) ? known : readHeadline(headline, this.#numbers, this.#nextId++);
      if (reading.judgements.size > MOST.pairs) reading.judgements.clear();
      this.#readings.set(headline.title, reading);
      result.push(reading);
      await step();
    }
    return result;
  }
}

/** The features of a headline. */
export type Reading = Readonly<ReturnType<typeof readHeadline>>;

/** @param numbers of the known terms, to which the headline's new ones are added */
function readHeadline({ title, summary, lang, assets }: Headline, numbers: Map<string, number>, id: number) {
  const titleTerms = headlineTermsOf(title, assets);
  const allTerms = summary === "" ? titleTerms : headlineTermsOf(`${title}\n${summary}`, assets);
  const terms: number[] = [];
  for (const [key, kind] of allTerms) {
    if (terms.length === MOST.terms) break;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    terms.push((number << 4) | (TERM_KINDS.indexOf(kind) << 1) | Number(titleTerms.has(key)));
  }
  let text: NetworkText | undefined;
  return {
    ...{ id, summary, lang, assets: assets.join() },
    terms, // Encoded as numbers (see {@link termAt}); objects would take 60 MB for 20,000 headlines.
    traits: traitsOf(title, titleTerms.keys()),
    text: () => (text ??= readTitle(title)), // Input of the network, created at the first comparison.
    judgements: new Map<number, Judgement>(), // Of pairs with other headlines, by their id.
  };
}

const isOf = (known: Reading, { summary, lang, assets }: Headline): boolean =>
  known.summary === summary && known.lang === lang && known.assets === assets.join();

function readTitle(title: string): NetworkText {
  const text = openNetwork().read(title.replace(attribution, ""), newsNames());
  return { ...text, units: text.units.filter(({ key }) => !REPORTING_WORDS.has(key)) };
}

/** Whether two headlines report one event. `likeness`: negative if they do not, infinite if the rules do not exclude it and
 * their overlap is too small for the network's judgement. `evidence`: how much speaks for it; one famous actor, one common
 * word or one number does not suffice, however rare it is among the headlines at hand. */
export type Judgement = Readonly<Record<"likeness" | "evidence", number>>;

export function judgementOf(a: Reading, b: Reading): Judgement {
  let judgement = a.judgements.get(b.id);
  if (judgement === undefined) a.judgements.set(b.id, (judgement = judge(a, b)));
  return judgement;
}

/** The likeness is the logit of the probability that two headlines report one event: from the network, with the rules'
 * measures as inputs, if the overlap is large enough; else from the rules alone. */
function judge(a: Reading, b: Reading): Judgement {
  const [x, y] = [a.text(), b.text()];
  const kind = a.lang === b.lang ? "same" : "across";
  const isOneLanguage = kind === "same";
  const shared = rarityShared(x, y);
  const known = shared + (isOneLanguage && a.lang === "zh" ? EVIDENCE.chinese : 0);
  const overlap = overlapOf(x, y, shared);
  const { areDistinct, measures } = rulesOf(a.traits, b.traits, overlap);
  if (isOneLanguage && overlap < NETWORK.overlap.judged)
    return { likeness: areDistinct ? -Infinity : Infinity, evidence: known };
  const logit = openNetwork().compare(x, y, measures) + (isOneLanguage && overlap === 1 ? NETWORK.contained : 0);
  const areApart = areDistinct || (isOneLanguage && differBetween(x.units, y.units));
  const likeness = logit - (areApart ? NETWORK.distinct : 0) - NETWORK.apart[kind];
  const isVague = likeness >= 0 && isOneLanguage && overlap < NETWORK.overlap.alike;
  const opinion = Math.max(-EVIDENCE.limit, Math.min(EVIDENCE.limit, logit - EVIDENCE.neutral));
  return { likeness: isVague ? Infinity : likeness, evidence: known + EVIDENCE.weight[kind] * opinion };
}

/** Decodes a term of a reading: its number, its kind as an index of {@link TERM_KINDS}, and whether the title has it. */
export const termAt = (code: number) => ({ number: code >> 4, kind: (code >> 1) & 7, isInTitle: (code & 1) === 1 });
