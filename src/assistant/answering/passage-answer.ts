import { AnpError } from "../../contract/errors.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Answer, AnswerRequest } from "../answer.ts";
import type { ModelGateway } from "../model/model-gateway.ts";
import type { Passage } from "../passage.ts";
import type { PassageIndex } from "../retrieval/passage-index.ts";
import { rankSentences } from "../retrieval/sentence-ranking.ts";
import { findEvidence } from "./evidence.ts";
import type { Evidence, SearchedRoute } from "./evidence.ts";
import { extractAnswer, extractSections } from "./extraction.ts";
import type { Extract } from "./extraction.ts";
import { isGrounded } from "./grounding.ts";
import type { Trust } from "./grounding.ts";
import { generateAnswer } from "./model-answer.ts";
import { REPLIES } from "./replies.ts";

/** A request, and what it is answered with. */
export interface AnswerTask {
  readonly request: AnswerRequest;
  readonly index: PassageIndex;
  /** Without one, answers are extracted. */
  readonly model: ModelGateway | undefined;
  readonly logger: Logger;
}

/** An answer without the routing it is reported under. */
export type Outcome = Omit<Answer, "routing">;

/** The model name of an answer without a model. */
const LOCAL_MODEL_NAME = "local-extractive";

const NOT_FOUND = {
  help: REPLIES.notFoundHelp,
  notice: REPLIES.notFoundNotice,
  news: REPLIES.notFoundNews,
  out_of_scope: REPLIES.outOfScope,
} as const satisfies Record<SearchedRoute, Readonly<Record<Language, string>>>;

/** From this confidence on, a question routed to `help` is taken as one for the help center. */
const CONFIDENT = 0.8;

/** A text without sources. */
export function reply(text: string, grounded: boolean): Outcome {
  return { text, sources: [], grounded, model_name: LOCAL_MODEL_NAME };
}

/** An answer with its sources. */
export function quote({ text, sources }: Extract): Outcome {
  return { text, sources, grounded: true, model_name: LOCAL_MODEL_NAME };
}

/** The reply when nothing answers. */
export function notFound(route: SearchedRoute, { request }: AnswerTask): Outcome {
  return reply(NOT_FOUND[route][request.routing.lang], false);
}

/** An answer from the passages that a search finds: the model's, else sentences of them. */
export async function answerFromPassages(route: SearchedRoute, task: AnswerTask): Promise<Outcome> {
  const evidence = findEvidence(task.request, task.index, route);
  if (route !== "out_of_scope") {
    const passages = evidence.hits.map((hit) => hit.passage);
    const generated = await answerWithModel(route, passages, task);
    if (generated !== undefined) return generated;
  }
  return extractFrom(evidence, trustIn(route, task.request), task) ?? notFound(route, task);
}

/** The model's answer; undefined when there is no model, or it failed and extraction is its fallback. */
export async function answerWithModel(
  route: SearchedRoute,
  passages: readonly Passage[],
  task: AnswerTask,
): Promise<Outcome | undefined> {
  const { model, logger, request, index } = task;
  if (model === undefined || passages.length === 0) return undefined;
  try {
    const generated = await generateAnswer(model, request, passages, index);
    return { ...(generated === null ? notFound(route, task) : quote(generated)), model_name: model.name };
  } catch (error) {
    if (model.fallback === "none" || !(error instanceof AnpError)) throw error;
    logger.warn({ model: model.name, cause: String(error.cause) }, "The model failed; answering by extraction");
    return undefined;
  }
}

/** An answer of sentences from the evidence; undefined when none supports one. */
export function extractFrom(
  { query, hits }: Evidence,
  trust: Trust,
  { request: { routing, wide }, index }: AnswerTask,
): Outcome | undefined {
  const ranked = rankSentences(query, hits, index);
  const [best] = ranked;
  if (best === undefined || !isGrounded(best, routing.lang, trust)) return undefined;
  return quote(wide ? extractSections(ranked, routing.lang) : extractAnswer(ranked, routing.lang));
}

function trustIn(route: SearchedRoute, { routing }: AnswerRequest): Trust {
  if (route === "out_of_scope") return "doubt";
  return route === "help" && routing.confidence >= CONFIDENT ? "sure" : "usual";
}
