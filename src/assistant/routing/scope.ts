import type { Routing } from "./routing.ts";

/** Least confidence of the classifier; more is asked of a question that names no concept of the domain. */
const MIN_CONFIDENCE = { inDomain: 0.35, offDomain: 0.75 };

/**
 * Whether a question is in scope, before anything is looked up for it.
 *
 * @param confidence of the classifier in its best label
 * @param inDomain whether the question names a concept of the domain, or is small talk
 */
export function isInScope(confidence: number, inDomain: boolean): boolean {
  return confidence >= (inDomain ? MIN_CONFIDENCE.inDomain : MIN_CONFIDENCE.offDomain);
}

/**
 * Corrects the router by the evidence: a question that it took for out of scope, but that passages answer, is one for
 * the help center.
 *
 * @param sources of the answer
 */
export function scopeByEvidence(routing: Routing, sources: readonly unknown[]): Routing {
  const isAnswered = routing.route === "out_of_scope" && sources.length > 0;
  return isAnswered ? { ...routing, route: "help", sub_intent: "general" } : routing;
}
