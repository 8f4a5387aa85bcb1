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
import { wordAnswer } from "./model-answer.ts";
import { REPLIES } from "./replies.ts";

/** A request with what answers it. */
export interface AnswerTask {
  readonly request: AnswerRequest;
  readonly index: PassageIndex;
  /** Without one, answers are extracted. */
  readonly model: ModelGateway | undefined;
  readonly logger: Logger;
}

/** An answer, before the route it is reported under is settled. */
export type Outcome = Omit<Answer, "routing">;

/** The name of answers that no model worded. */
const LOCAL = "local-extractive";

const NOT_FOUND = {
  help: REPLIES.notFoundHelp,
  notice: REPLIES.notFoundNotice,
  news: REPLIES.notFoundNews,
  out_of_scope: REPLIES.outOfScope,
} as const satisfies Record<SearchedRoute, Readonly<Record<Language, string>>>;

/** A router this sure of `help` is trusted that the question is one for the help center. */
const SURE = 0.8;

/** A text without sources. */
export function reply(text: string, grounded: boolean): Outcome {
  return { text, sources: [], grounded, model_name: LOCAL };
}

/** A text of its sources' words. */
export function quote({ text, sources }: Extract): Outcome {
  return { text, sources, grounded: true, model_name: LOCAL };
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
    const worded = await answerWithModel(route, passages, task);
    if (worded !== undefined) return worded;
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
    const worded = await wordAnswer(model, request, passages, index);
    return { ...(worded === null ? notFound(route, task) : quote(worded)), model_name: model.name };
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
  return route === "help" && routing.confidence >= SURE ? "sure" : "usual";
}
