import type { AnswerRequest } from "./answer.ts";
import { prepareAnswer, type PreparedAnswer } from "./answering/answerer.ts";
import type { AnswerIndex } from "./retrieval/answer-index.ts";
import { routeQuestion } from "./routing/router.ts";
import type { Routing } from "./routing/routing.ts";

/** Kinds of question that have a price of their own. */
export type QuestionKind = "account" | "small_talk" | "advanced_research" | "other";

/** A question with all that its answer depends on besides the content. Plain data. */
export interface AskedQuestion extends Omit<AnswerRequest, "routing" | "wide"> {
  /** Whether advanced research is included, should the question ask for it. */
  readonly research: boolean;
  /** Kinds that are not answered: their evidence is not looked for. */
  readonly refused: readonly QuestionKind[];
}

/** A question's final route, and its answer as far as it goes without a model: none for a kind that is refused. Plain
 * data. */
export interface PreparedQuestion extends PreparedAnswer {
  readonly kind: QuestionKind;
}

/** Routes a question, and answers it from the passages unless it is refused or the service answers it: a pure function of
 * its input, which knows nothing of points, accounts, storage, HTTP and model calls.
 * @example
 * const index = new AnswerIndex(passages);
 * const asked = { question: "怎么提现？", history: [], research: false, refused: [], hasModel: false, now: Date.now() };
 * const { routing, answer } = prepareQuestion(asked, index);
 */
export function prepareQuestion({ research, refused, ...asked }: AskedQuestion, index: AnswerIndex): PreparedQuestion {
  const first = routeQuestion(asked.question, asked);
  const wide = first.research && research;
  if (refused.includes(kindOf(first, wide))) return { routing: first, kind: kindOf(first, wide) };
  const prepared = prepareAnswer({ ...asked, routing: first, wide }, index);
  const { routing } = prepared;
  const kind = kindOf(routing, wide);
  return refused.includes(kind) ? { routing, kind } : { ...prepared, kind };
}

function kindOf({ route }: Routing, wide: boolean): QuestionKind {
  if (wide) return "advanced_research";
  return route === "account" || route === "small_talk" ? route : "other";
}
