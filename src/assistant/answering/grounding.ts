import type { Lang } from "../passage.ts";
import type { Candidate } from "../retrieval/sentence-ranking.ts";

/** Least support of a grounded answer, by language: where about nine in ten answerable questions pass. */
const LEAST: Readonly<Record<Lang, number>> = { zh: 0.8, en: 0.88 };

/** What speaks for an answer by this sentence, 0 to 2: the question's words it covers, and those its passage covers. */
export function supportOf(candidate: Candidate): number {
  return candidate.coverage + candidate.passageCoverage;
}

/** Whether a sentence answers the question rather than only sharing words with it. */
export function isGrounded(candidate: Candidate, lang: Lang, extra = 0): boolean {
  return supportOf(candidate) >= LEAST[lang] + extra;
}
