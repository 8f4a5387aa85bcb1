import { MIN_CONFIDENCE, type AnswerRequest, type Route, type Routing } from "./answer.ts";
import { prepareAnswer, type PreparedAnswer } from "./answering/answerer.ts";
import { chosenTitle } from "./answering/chosen-title.ts";
import { decideOutcome } from "./answering/decide-outcome.ts";
import { answerTrusted } from "./answering/evidence-answer.ts";
import type { AnswerIndex } from "./retrieval/answer-index.ts";
import { isElliptical, routeQuestion } from "./routing/router.ts";

/** Kinds of question that have a price of their own. */
export type QuestionKind = "account" | "small_talk" | "advanced_research" | "other";

/** A question with everything that its answer depends on, except the content. Plain data. */
export interface AskedQuestion extends Omit<AnswerRequest, "routing" | "wide"> {
  readonly research: boolean; // Whether advanced research is allowed if the question asks for it.
  readonly refused: readonly QuestionKind[]; // Kinds that are not answered and not searched.
  readonly vector?: Int8Array | undefined; // Vector of the question; absent without embeddings.
  readonly route?: Route; // A model's route, which decides if the router is not sure.
}

/** A question's final route, and its answer before a model is called; no answer if refused. Plain data. */
export interface PreparedQuestion extends PreparedAnswer {
  readonly kind: QuestionKind;
  /** Whether a follow-up was searched with words of the previous question, or nothing sure was found. */
  readonly isInDoubt?: boolean;
  readonly standalone?: string; // The question as rewritten by a model, if that was answered.
}

/** Routes a question, and answers it from the passages unless it is refused or the service answers it. Pure. */
export function prepareQuestion(given: AskedQuestion, index: AnswerIndex): PreparedQuestion {
  const { research, refused, route, ...asked } = given;
  const routed = routeQuestion(asked.question, asked);
  const isDecided = route === undefined || route === routed.route || routed.confidence >= MIN_CONFIDENCE;
  const first = isDecided ? routed : { ...routed, route, sub_intent: "general", confidence: MIN_CONFIDENCE };
  const wide = first.research && research;
  if (refused.includes(kindOf(first, wide))) return { routing: first, kind: kindOf(first, wide) };
  const prepared = prepareAnswer({ ...asked, routing: first, wide }, index);
  const { routing } = prepared;
  const kind = kindOf(routing, wide);
  if (refused.includes(kind)) return { routing, kind };
  const isFollowUp =
    isElliptical(asked.question) && asked.history.length > 0 && !chosenTitle(asked.question, asked.history);
  const isUnsure = (prepared.answer?.outcome ?? "answered") !== "answered" && first.confidence < MIN_CONFIDENCE;
  return { ...prepared, kind, isInDoubt: !first.research && (isFollowUp || isUnsure) };
}

const kindOf = ({ route }: Routing, wide: boolean): QuestionKind =>
  wide ? "advanced_research" : route === "account" || route === "small_talk" ? route : "other";

/** The explanation of an answer, for operators. Plain data. */
export type AnswerExplanation = ReturnType<typeof explainAnswer>;

/** Recomputes how an answer, or each part of it, was decided: the router's result, what answered (`figures` of the service,
 * a `rule`, the `latest` items, the `evidence` or `parts`), and the evidence with its features in any case. */
export function explainAnswer(given: AskedQuestion, prepared: PreparedQuestion, on: AnswerIndex) {
  const { standalone, parts, kind } = prepared;
  const asked =
    standalone === undefined
      ? { ...given, question: chosenTitle(given.question, given.history)?.title ?? given.question }
      : { ...given, question: standalone, history: [] };
  const { decision, evidence, ...whole } = explainOne(asked, prepared, on);
  if (parts === undefined) return { ...whole, decision, evidence };
  const explainPart = ({ question, history, ...part }: (typeof parts)[number]) =>
    explainOne({ ...asked, question, history, near: undefined }, { ...part, kind }, on);
  return { ...whole, parts: parts.map(explainPart) };
}

function explainOne(asked: AskedQuestion, { routing, kind, by, answer }: PreparedQuestion, on: AnswerIndex) {
  const router = routeQuestion(asked.question, asked);
  const request = { ...asked, routing: router, wide: router.research && asked.research };
  const { findings } = answerTrusted(request, on, false);
  return {
    question: asked.question,
    router,
    route: { route: routing.route, sub_intent: routing.sub_intent, kind, by: by ?? "figures" },
    ...(by === "latest" && { listed: answer?.sources }),
    decision: decideOutcome(findings, { question: asked.question, routing: router }),
    evidence: findings.evidence.map(({ article, window }) => {
      const { found, texts: _, groups, ...scores } = article;
      const { id, kind: of, lang, title } = found.passage;
      return { id, kind: of, lang, title, ...scores, window, terms: groups.length };
    }),
  };
}
