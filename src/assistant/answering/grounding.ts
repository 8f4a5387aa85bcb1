import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { Candidate } from "../retrieval/sentence-ranking.ts";

/** Least support of a grounded answer, by language: on CMRC 2018 and XQuAD about nine in ten answers pass. */
const LEAST: Readonly<Record<Language, number>> = { zh: 0.85, en: 0.9 };
/** Least support when the question is surely one for the help center and the article's title speaks of it. */
const LEAST_ON_TOPIC = 0.6;
/** Share of the question that the title of such an article covers. */
const ON_TOPIC = 0.25;
/** A help article whose title says nothing of the question needs this much more support. */
const OFF_TOPIC = { below: 0.1, more: 0.25 };

/** What speaks for an answer by this sentence, 0 to 2: the question's words it covers, and those its passage covers. */
export function supportOf(candidate: Candidate): number {
  return candidate.coverage + candidate.passageCoverage;
}

/** How far the router vouches for a question: `sure` of its route, in `doubt` that it has one. */
export type Trust = "sure" | "usual" | "doubt";

/** Support that an answer needs beyond the usual when the question seemed out of scope. */
const DOUBT = 0.35;

/** Whether a sentence answers the question rather than only sharing words with it. */
export function isGrounded(candidate: Candidate, lang: Language, trust: Trust = "usual"): boolean {
  const { passage, titleCoverage } = candidate;
  const support = supportOf(candidate);
  if (trust === "sure" && titleCoverage >= ON_TOPIC && support >= LEAST_ON_TOPIC) return true;
  const offTopic = passage.kind === "help" && passage.title !== "" && titleCoverage < OFF_TOPIC.below;
  return support >= LEAST[lang] + (offTopic ? OFF_TOPIC.more : 0) + (trust === "doubt" ? DOUBT : 0);
}
