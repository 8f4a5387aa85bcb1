import type { Logger } from "../runtime/logger.ts";
import type { Answer, AnswerRequest, Turn } from "./answer.ts";
import { createAnswerer } from "./answering/answerer.ts";
import type { Example } from "./routing/classifier/classifier.ts";
import type { ModelGateway } from "./model/model-gateway.ts";
import type { Passage } from "./passage.ts";
import { buildPassageIndex } from "./retrieval/passage-index.ts";
import type { PassageIndex } from "./retrieval/passage-index.ts";
import { createRouter } from "./routing/router.ts";
import type { Routing } from "./routing/routing.ts";

export type { Answer, AnswerRequest, Turn } from "./answer.ts";
export type { MarketMood } from "./answering/market-answer.ts";
export type { ModelGateway } from "./model/model-gateway.ts";
export type { Passage, SourceItem } from "./passage.ts";
export type { PassageIndex } from "./retrieval/passage-index.ts";
export type { Route, Routing } from "./routing/routing.ts";

/** Context of a question. */
export interface RouteHints {
  /** Earlier turns, oldest first. */
  readonly history: readonly Turn[];
  readonly page_context?: string;
  readonly token_symbol?: string;
}

/** Routes questions and answers them from passages. Knows nothing of points, accounts, storage and HTTP. */
export interface Assistant {
  /** The route of a question. Account questions are only routed: the service composes their answers. */
  route(question: string, hints: RouteHints): Routing;
  /** Builds the index of the passages; once for each snapshot of the content. */
  index(passages: readonly Passage[]): PassageIndex;
  /**
   * Answers in the question's language, from the passages alone.
   *
   * @throws AnpError 1007 when the model fails and extraction is not its fallback
   */
  answer(request: AnswerRequest, index: PassageIndex): Promise<Answer>;
}

export interface AssistantDeps {
  /** Writes answers from passages; without one they are extracted. */
  readonly model?: ModelGateway;
  readonly logger: Logger;
  /** Labelled utterances instead of the bundled seeds; labels are `route/sub_intent`. */
  readonly examples?: readonly Example[];
}

/**
 * An assistant. Its classifier is loaded at the first question, or trained then when the build did not train it.
 *
 * @example
 * const assistant = createAssistant({ logger });
 * const index = assistant.index(passages);
 * const routing = assistant.route("怎么提现？", { history: [] });
 * const { text, sources } = await assistant.answer(
 *   { question: "怎么提现？", routing, history: [], wide: false, now: Date.now() },
 *   index,
 * );
 */
export function createAssistant({ model, logger, examples }: AssistantDeps): Assistant {
  const router = createRouter(examples);
  const answerer = createAnswerer({ model, logger });
  return {
    route: (question, { history, page_context }) =>
      router.route(question, {
        previous: history.at(-1)?.question,
        page_context,
      }),
    index: buildPassageIndex,
    answer: (request, index) => answerer.answer(request, index),
  };
}
