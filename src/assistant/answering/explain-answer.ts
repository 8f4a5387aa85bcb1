import type { AskedQuestion, PreparedQuestion } from "../assistant.ts";
import type { AnswerIndex } from "../retrieval/answer-index.ts";
import { routeQuestion } from "../routing/router.ts";
import { chosenTitle } from "./chosen-title.ts";
import { decideOutcome } from "./decide-outcome.ts";
import { searchFor } from "./evidence-answer.ts";

/** How a question's answer came about, for operators. Plain data. */
export type AnswerExplanation = ReturnType<typeof explainAnswer>;

/** Computes again what decided an answer: the router, what finally answers (`figures` of the service, a `rule`, the
 * `latest` items or the `evidence`), and the evidence with its features even where something else answers. */
export function explainAnswer(given: AskedQuestion, prepared: PreparedQuestion, on: AnswerIndex) {
  const { routing, kind, by, standalone } = prepared;
  const asked =
    standalone === undefined
      ? { ...given, question: chosenTitle(given.question, given.history)?.title ?? given.question }
      : { ...given, question: standalone, history: [] };
  const router = routeQuestion(asked.question, asked);
  const findings = searchFor({ ...asked, routing: router, wide: router.research && asked.research }, on);
  return {
    question: asked.question,
    router,
    route: { route: routing.route, sub_intent: routing.sub_intent, kind, by: by ?? "figures" },
    decision: decideOutcome(findings, { question: asked.question, routing: router }),
    evidence: findings.evidence.map(({ article, window }) => {
      const { found, texts: _, groups, ...scores } = article;
      const { id, kind, lang, title } = found.passage;
      return { id, kind, lang, title, ...scores, window, terms: groups.length };
    }),
  };
}
