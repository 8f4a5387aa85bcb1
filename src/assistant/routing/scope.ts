import type { Routing } from "./routing.ts";

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
