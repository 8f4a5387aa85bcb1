import { JobError, type JobRunner, type RunOptions } from "../compute/job-runner.ts";
import { AnpError } from "../contract/errors.ts";
import type { Language } from "../contract/schemas/shared-fields.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Answer } from "./answer.ts";
import type { GeneratedAnswer } from "./answering/model-answer.ts";
import { asUnsure } from "./answering/replies.ts";
import type { AskedQuestion, PreparedQuestion } from "./assistant.ts";
import type { AssistantJobs, SuggestedQuestions } from "./assistant-jobs.ts";
import type { MeaningRows } from "../language/thesaurus.ts";
import { IndexedContent } from "./indexed-content.ts";
import type { ModelGateway } from "./model/model-gateway.ts";
import type { Passage } from "./passage.ts";

/** The assistant behind a runner of its jobs, with its content and its model. */
export type HostedAssistant = ReturnType<typeof createHostedAssistant>;

/** Who asks, and how long the question may wait for its turn, ms. */
type Turn = Pick<RunOptions, "caller" | "wait_ms" | "signal">;

export interface HostedAssistantDeps {
  readonly runner: JobRunner<AssistantJobs>;
  /** Writes answers from passages; without one they are extracted. */
  readonly model?: ModelGateway | undefined;
  readonly logger: Logger;
  /** The operator's words for what the passages are about. */
  readonly lexicon?: MeaningRows | undefined;
}

/** @example
 * const assistant = createHostedAssistant({ runner: assistantInProcess(), logger });
 * await assistant.learn(passages);
 * const asked = { question: "怎么提现？", history: [], research: false, refused: [], now: Date.now() };
 * const { text, sources } = await assistant.complete(await assistant.prepare(asked), asked);
 */
export function createHostedAssistant({ runner, model, logger, lexicon = [] }: HostedAssistantDeps) {
  const content = new IndexedContent(runner, logger, lexicon);
  return {
    /** Loads what the first question would wait for. */
    warm: () => runner.run("warm", undefined),
    /** Makes these the passages that answers quote. Until it has, questions are answered from those before. */
    learn: (passages: readonly Passage[]) => content.learn(passages),
    /** @throws AnpError 1007 when the question cannot be computed in time
     * @throws AnpError 429 when its turn did not come in time */
    prepare: (asked: Omit<AskedQuestion, "hasModel">, turn?: Turn): Promise<PreparedQuestion> =>
      inTime(content.on((index) => runner.run("prepare", { ...asked, hasModel: model !== undefined, index }, turn))),
    /** The answer to a prepared question: the model's, if there is one and passages were found.
     * @throws AnpError 1007 when the model fails and extraction is not its fallback */
    async complete(
      { prepared, routing, kind }: PreparedQuestion,
      { question, history }: Pick<AskedQuestion, "question" | "history">,
      signal?: AbortSignal,
    ): Promise<Answer> {
      if (prepared === undefined) throw new Error(`${routing.route} is not answered from passages`);
      const { answer, forModel } = prepared;
      if (forModel === undefined || model === undefined) return answer;
      const wide = kind === "advanced_research";
      const { excerpts } = forModel;
      const asked = { question, lang: routing.lang, wide };
      const previous = history.at(-1)?.question;
      try {
        const request = { ...asked, history, passages: excerpts, ...(signal && { signal }) };
        const { value: found, model: model_name } = await model.generate(request, (reply, instructions) =>
          inTime(runner.run("check", { ...asked, reply, previous, instructions, excerpts })),
        );
        const written = found === null ? forModel.otherwise : judged(found, answer, routing.lang);
        return { ...written, routing, model_name };
      } catch (error) {
        signal?.throwIfAborted();
        if (model.fallback === "none")
          throw error instanceof AnpError ? error : new AnpError(1007, undefined, { cause: error });
        logger.warn(
          { model: model.name, cause: String(error instanceof AnpError ? error.cause : error) },
          "The model failed; answering by extraction",
        );
        return answer;
      }
    },
    /** Those of the questions that are answered from the passages. */
    answered: (suggested: SuggestedQuestions): Promise<readonly string[]> =>
      content.on((index) => runner.run("answered", { ...suggested, index })),
    breakers: () => model?.breakers() ?? [],
    close: () => runner.close(),
  };
}

/** The evidence decides whether an answer is sure, not the model: a checked reply may still answer another question. */
function judged(found: GeneratedAnswer, evidence: Answer, lang: Language) {
  return evidence.outcome === "answered" ? { ...found, outcome: evidence.outcome } : asUnsure(found, lang);
}

/** A question that takes too long cannot be answered; one that waits too long can be asked again. */
async function inTime<T>(job: Promise<T>): Promise<T> {
  try {
    return await job;
  } catch (error) {
    if (!(error instanceof JobError) || error.failure === "failed") throw error;
    throw new AnpError(error.failure === "overdue" ? 429 : 1007, undefined, { cause: error });
  }
}
