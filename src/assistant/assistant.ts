import type { Answer, AnswerRequest } from "./answer.ts";
import { prepareAnswer, type PreparedAnswer } from "./answering/answerer.ts";
import { checkReply, type Checked, type GeneratedAnswer } from "./answering/model-answer.ts";
import type { CheckedRequest } from "./grounding/reply-fault.ts";
import { Wordings } from "./grounding/wording.ts";
import type { Passage } from "./passage.ts";
import { createDictionary } from "../language/dictionary/dictionary.ts";
import type { MeaningRows } from "../language/thesaurus.ts";
import { AnswerIndex } from "./retrieval/answer-index.ts";
import { routeQuestion } from "./routing/router.ts";
import type { Routing } from "./routing/routing.ts";

export type { Answer, AnswerRequest, Turn } from "./answer.ts";
export type { Passage } from "./passage.ts";
export type { AnswerIndex } from "./retrieval/answer-index.ts";

/** Context of a question. */
export type RouteHints = Pick<AnswerRequest, "history" | "page_context" | "token_symbol">;

/** Kinds of question that have a price of their own. */
export type QuestionKind = "account" | "small_talk" | "advanced_research" | "other";

/** A question with all that its answer depends on besides the content. Plain data. */
export interface AskedQuestion extends Omit<AnswerRequest, "routing" | "wide"> {
  /** Whether advanced research is included, should the question ask for it. */
  readonly research: boolean;
  /** Kinds that are not answered: their evidence is not looked for. */
  readonly refused: readonly QuestionKind[];
  readonly hasModel: boolean;
}

/** A question's final route, and its answer as far as it goes without a model. Plain data. */
export interface PreparedQuestion {
  readonly routing: Routing;
  readonly kind: QuestionKind;
  /** Absent for a kind that is refused, and for what the service answers from its own figures: account and market. */
  readonly prepared?: Pick<PreparedAnswer, "forModel"> & { readonly answer: Answer };
}

/** An assistant: routes questions and answers them from passages, as pure functions of their input. It knows nothing of
 * points, accounts, storage, HTTP and model calls. Its classifier is loaded at the first question, or trained then when
 * the build did not train it.
 * @example
 * const assistant = createAssistant();
 * const index = assistant.index(passages);
 * const routing = assistant.route("怎么提现？", { history: [] });
 * const answer = assistant.answer(
 *   { question: "怎么提现？", routing, history: [], wide: false, now: Date.now() },
 *   index,
 * );
 */
export function createAssistant() {
  const dictionary = createDictionary();
  const wordings = new Wordings(dictionary);
  const route = (question: string, { history, page_context }: RouteHints): Routing =>
    routeQuestion(question, { previous: history.at(-1)?.question, page_context });
  return {
    /** What a question seems to be about, before anything is looked up: the evidence decides in the end. */
    route,
    /** Builds the index of the passages. `lexicon`: the operator's words for what they are about, beside the everyday ones. */
    index: (passages: readonly Passage[], lexicon?: MeaningRows) => new AnswerIndex(dictionary, passages, lexicon),
    /** Routes a question, and answers it from the passages unless it is refused or the service answers it. */
    prepare({ research, refused, ...asked }: AskedQuestion, index: AnswerIndex): PreparedQuestion {
      const first = route(asked.question, asked);
      const wide = first.research && research;
      if (refused.includes(kindOf(first, wide))) return { routing: first, kind: kindOf(first, wide) };
      const { answer, forModel, routing } = prepareAnswer({ ...asked, routing: first, wide }, index);
      const kind = kindOf(routing, wide);
      if (answer === undefined || refused.includes(kind)) return { routing, kind };
      return { routing, kind, prepared: forModel === undefined ? { answer } : { answer, forModel } };
    },
    /** Answers a routed question in its language, from the passages alone; undefined where the service answers. */
    answer: (request: AnswerRequest, index: AnswerIndex): Answer | undefined => prepareAnswer(request, index).answer,
    /** A model's reply with its sources, or what is wrong with it: see {@link checkReply}. */
    check: (request: CheckedRequest): Checked<GeneratedAnswer | null> => checkReply(request, wordings),
  };
}

function kindOf({ route }: Routing, wide: boolean): QuestionKind {
  if (wide) return "advanced_research";
  return route === "account" || route === "small_talk" ? route : "other";
}
