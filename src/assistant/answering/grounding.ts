import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { Candidate } from "../retrieval/sentence-ranking.ts";

/** Least support of a grounded answer, by language: on CMRC 2018 and XQuAD about nine in ten answers reach it. */
const MIN_SUPPORT: Readonly<Record<Language, number>> = { zh: 0.85, en: 0.9 };
/** Least support when the router is sure of `help` and the article's title matches the question. */
const MIN_SUPPORT_ON_TOPIC = 0.6;
/** Share of the question that the title of such an article covers. */
const ON_TOPIC = 0.25;
/** A help article whose title does not match the question needs this much more support. */
const OFF_TOPIC = { below: 0.1, more: 0.25 };

/** Support of an answer by this sentence, 0 to 2: the share of the question that it covers, and that its passage covers. */
export function supportOf(candidate: Candidate): number {
  return candidate.coverage + candidate.passageCoverage;
}

/** The router's confidence in a question's route: `sure` of it, in `doubt` that it has one. */
export type Trust = "sure" | "usual" | "doubt";

/** Additional support that an answer needs when the question seemed out of scope. */
const EXTRA_WHEN_IN_DOUBT = 0.35;

/** Whether a sentence answers the question, rather than sharing some words with it. */
export function isGrounded(candidate: Candidate, lang: Language, trust: Trust = "usual"): boolean {
  const { passage, titleCoverage } = candidate;
  const support = supportOf(candidate);
  if (trust === "sure" && titleCoverage >= ON_TOPIC && support >= MIN_SUPPORT_ON_TOPIC) return true;
  const offTopic = passage.kind === "help" && passage.title !== "" && titleCoverage < OFF_TOPIC.below;
  return support >= MIN_SUPPORT[lang] + (offTopic ? OFF_TOPIC.more : 0) + (trust === "doubt" ? EXTRA_WHEN_IN_DOUBT : 0);
}
