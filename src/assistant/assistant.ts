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

/** What surrounds a question. */
export interface RouteHints {
  /** Earlier turns, oldest first. */
  readonly history: readonly Turn[];
  readonly page_context?: string;
  readonly token_symbol?: string;
}

/** Routes questions and answers them from passages. Knows nothing of points, accounts, storage and HTTP. */
export interface Assistant {
  /** Where a question goes. Account questions are only routed: the service composes their answers. */
  route(question: string, hints: RouteHints): Routing;
  /** Makes passages searchable; to be built when the snapshot of the content changes. */
  index(passages: readonly Passage[]): PassageIndex;
  /**
   * Answers in the question's language, from the passages alone.
   *
   * @throws AnpError 1007 when the model fails and extraction is not its fallback
   */
  answer(request: AnswerRequest, index: PassageIndex): Promise<Answer>;
}

export interface AssistantDeps {
  /** Words answers from passages; without one they are extracted. */
  readonly model?: ModelGateway;
  readonly logger: Logger;
  /** Labelled utterances instead of the bundled seeds; labels are `route/sub_intent`. */
  readonly examples?: readonly Example[];
}

/** An assistant. Its classifier is opened at the first question; what the build did not train is trained then. */
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
