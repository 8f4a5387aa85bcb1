import type { Passage } from "../passage.ts";
import type { Hit, IndexedSentence, PassageIndex } from "./passage-index.ts";
import type { Query } from "./query.ts";

/** A sentence that may answer, with its features. */
export interface Candidate {
  readonly passage: Passage;
  /** Number of the passage in the index. */
  readonly number: number;
  /** Index of the sentence in its passage. */
  readonly at: number;
  readonly sentence: IndexedSentence;
  readonly score: number;
  /** Share of the query's weight that the sentence itself covers, 0 to 1. */
  readonly coverage: number;
  /** The same, by the passage's title alone. */
  readonly titleCoverage: number;
  /** The same, with the passage's title and the sentence's neighbours. */
  readonly contextCoverage: number;
  /** The same, over the whole passage. */
  readonly passageCoverage: number;
}

/** Weight of a term that is not in the sentence but near it. */
const NEAR = { title: 1, neighbour: 0.35 };
/** Weights of the parts of a sentence's score; full coverage by the sentence itself is 1. */
const MIX = { context: 0.8, passage: 0.5, fits: 0.3, title: 0.8, lead: 0.4 };
/** Sentences of more terms are penalised. */
const LONG = 120;

/** Ranks the sentences of the hits: own words first, then those of title and neighbours, then the passage's rank. */
export function rankSentences(query: Query, hits: readonly Hit[], index: PassageIndex): Candidate[] {
  const terms = [...query.terms].filter(([, weight]) => weight > 0);
  const gains = terms.map(([term, weight]) => weight * index.idf(term));
  const total = gains.reduce((sum, gain) => sum + gain, 0);
  if (total === 0) return [];
  const top = hits[0]?.score ?? 1;
  const candidates: Candidate[] = [];
  for (const { passage, number, score } of hits) {
    const sentences = index.sentences(number);
    const title = index.titleTerms(number);
    const covers = (sentence: IndexedSentence | undefined, term: string): boolean => sentence?.terms.has(term) ?? false;
    let passageCoverage = 0;
    for (const [i, [term]] of terms.entries()) {
      if (title.has(term) || sentences.some((sentence) => sentence.terms.has(term)))
        passageCoverage += gains[i]! / total;
    }
    const titleCoverage = terms.reduce((sum, [term], i) => sum + (title.has(term) ? gains[i]! / total : 0), 0);
    for (const [at, sentence] of sentences.entries()) {
      let coverage = 0;
      let context = 0;
      for (const [i, [term]] of terms.entries()) {
        const gain = gains[i]! / total;
        if (covers(sentence, term)) {
          coverage += gain;
          context += gain;
        } else if (title.has(term)) context += gain * NEAR.title;
        else if (covers(sentences[at - 1], term) || covers(sentences[at + 1], term)) context += gain * NEAR.neighbour;
      }
      const length = 1 / (1 + Math.max(0, sentence.length - LONG) / (4 * LONG));
      const fits = query.fits?.(sentence.text) === true ? MIX.fits : 0;
      // An article whose title is the question answers it at its beginning.
      const lead = (MIX.lead * titleCoverage) / (1 + at);
      const own =
        (coverage + MIX.context * context) * length +
        (MIX.passage * score) / top +
        fits +
        lead +
        MIX.title * titleCoverage;
      candidates.push({
        passage,
        number,
        at,
        sentence,
        score: own,
        titleCoverage,
        coverage,
        contextCoverage: context,
        passageCoverage,
      });
    }
  }
  return candidates.sort((a, b) => b.score - a.score || a.number - b.number || a.at - b.at);
}
