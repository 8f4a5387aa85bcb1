import { LRUCache } from "lru-cache";
import { BoundedLru } from "../runtime/cache/bounded-lru.ts";
import { JobError, type JobRunner, type RunOptions } from "../compute/job-runner.ts";
import { AnpError } from "../contract/errors.ts";
import type { Language } from "../contract/schemas/shared-fields.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Answer, Quotation } from "./answer.ts";
import type { EmbeddedContent, Embeddings } from "./embeddings/embeddings.ts";
import { asUnsure } from "./answering/replies.ts";
import type { AnswerExplanation, AskedQuestion, PreparedQuestion } from "./assistant.ts";
import type { AssistantJobs, SuggestedQuestions } from "./jobs/assistant-jobs.ts";
import type { MeaningRows } from "../language/thesaurus.ts";
import { IndexedContent } from "./indexed-content.ts";
import type { ModelUse } from "./model/model-call.ts";
import type { CheckReply, ModelGateway } from "./model/provider-failover.ts";
import type { Passage } from "./passage.ts";
import { hasHan, scriptOfTag } from "../language/detect-language.ts";

/** An assistant with its job runner, its content and its model. */
export type HostedAssistant = ReturnType<typeof createHostedAssistant>;
/** `computes` is called before a question is computed that is not in the cache; it may throw. */
type Turn = Pick<RunOptions, "caller" | "wait_ms"> & ModelUse & { readonly computes?: () => void };

interface HostedAssistantDeps {
  readonly runner: JobRunner<AssistantJobs>;
  readonly model?: ModelGateway | undefined; // Writes answers from passages; without it, answers are extracted.
  readonly logger: Logger;
  readonly lexicon?: MeaningRows | undefined; // The operator's synonyms.
  readonly embeddings?: ((on: EmbeddedContent) => Embeddings) | undefined; // Adds the search by vectors.
}

/** Capacity and lifetime, ms, of the cache of prepared questions: many users ask what the front page suggests. */
const CACHE = { questions: 256, ms: 60_000 };

export function createHostedAssistant({ runner, model, logger, lexicon = [], ...deps }: HostedAssistantDeps) {
  const content = new IndexedContent(runner, logger, lexicon);
  const embeddings = deps.embeddings?.({ content, runner });
  const cache = new BoundedLru<{ readonly at: number; readonly prepared: Promise<PreparedQuestion> }>(CACHE.questions);
  let learned = 0;

  const withVector = async (asked: AskedQuestion, question = asked.question): Promise<AskedQuestion> =>
    embeddings === undefined ? asked : { ...asked, vector: await embeddings.question(question) };

  async function prepareNow(given: AskedQuestion, turn?: Turn): Promise<PreparedQuestion> {
    const asked = await withVector(given);
    return inTime(content.on((index) => runner.run("prepare", { ...asked, index }, turn)));
  }

  /** Prepares a question; if in doubt, as a model rewrites it, unless that changes its language or requests research. */
  async function prepareOnce(asked: AskedQuestion, turn?: Turn): Promise<PreparedQuestion> {
    const first = await prepareNow(asked, turn);
    const found = first.isInDoubt === true ? await model?.rewrite(asked, turn ?? {}) : undefined;
    if (found === undefined) return first;
    const { question, route } = found;
    const again = await prepareNow({ ...asked, question, route, history: [] }, turn);
    const isLike = again.routing.lang === first.routing.lang && !again.routing.research;
    return isLike ? { ...again, standalone: question } : first;
  }

  return {
    warm: () => runner.run("warm", undefined),
    /** Replaces the passages that answers quote. Until this is done, questions are answered from the previous ones. */
    async learn(passages: readonly Passage[]): Promise<void> {
      await content.learn(passages).finally(() => (learned += 1));
    },
    /** Routes a question and looks up its evidence; a recent one without earlier turns is served from the cache.
     * @throws AnpError 1007 when the question cannot be computed in time, 429 when its turn does not come in time */
    async prepare({ now, ...asked }: Omit<AskedQuestion, "hasModel">, turn?: Turn): Promise<PreparedQuestion> {
      const key = JSON.stringify([learned, asked]);
      for (let known = cache.get(key); known && Math.abs(now - known.at) < CACHE.ms; known = cache.get(key)) {
        const prepared = await known.prepared.catch((error: unknown) => {
          if (!(error instanceof DOMException)) throw error; // Otherwise that caller has disconnected.
        });
        turn?.signal?.throwIfAborted();
        if (prepared !== undefined) return prepared;
      }
      turn?.computes?.();
      const prepared = prepareOnce({ ...asked, now, hasModel: model !== undefined }, turn);
      prepared.catch(() => cache.delete(key));
      if (asked.history.length === 0) cache.set(key, { at: now, prepared });
      return prepared;
    },
    /** The answer to a prepared question: the model's, if there is one and passages were found.
     * @throws AnpError 1007 when the model fails and extraction is not its fallback */
    complete: (prepared: PreparedQuestion, asked: Asked, use: ModelUse = {}): Promise<Answer> =>
      complete({ runner, model, logger }, prepared, asked, use),
    async explain(given: AskedQuestion, prepared: PreparedQuestion): Promise<AnswerExplanation> {
      const asked = await withVector(given, prepared.standalone);
      return content.on((index) => runner.run("explain", { index, asked, prepared }));
    },
    answered: (suggested: SuggestedQuestions) => content.on((index) => runner.run("answered", { ...suggested, index })),
    /** Converts the Chinese texts of data to the script of a language tag, such as `zh-TW`. */
    inScript: createScriptWriter(runner, logger),
    breakers: () => model?.breakers() ?? [],
    embeddings,
    close: () => runner.close(),
  };
}

type Asked = Pick<AskedQuestion, "question" | "history">;

async function complete(
  { runner, model, logger }: Pick<HostedAssistantDeps, "runner" | "model" | "logger">,
  { answer, forModel, routing, kind, standalone }: PreparedQuestion,
  { question: given, history }: Asked,
  use: ModelUse,
): Promise<Answer> {
  if (answer === undefined) throw new Error(`${routing.route} is not answered from passages`);
  if (forModel === undefined || model === undefined) return answer;
  const { excerpts } = forModel;
  const asked = { question: standalone ?? given, lang: routing.lang, wide: kind === "advanced_research" };
  const previous = history.at(-1)?.question;
  try {
    const check: CheckReply<Quotation | null> = (reply, instructions, verdicts) =>
      inTime(runner.run("check", { ...asked, reply, previous, instructions, excerpts, verdicts }));
    const { value, model: model_name } = await model.generate({ ...asked, history, passages: excerpts }, check, use);
    const written = value === null ? forModel.otherwise : judged(value, answer, routing.lang);
    return { ...written, routing, model_name };
  } catch (error) {
    use.signal?.throwIfAborted();
    const failure = error instanceof AnpError ? error : new AnpError(1007, undefined, { cause: error });
    if (model.fallback === "none") throw failure;
    logger.warn({ model: model.name, cause: String(failure.cause) }, "The model failed; answering by extraction");
    return answer;
  }
}

/** The evidence decides whether an answer is sure, not the model: a checked reply may still answer another question. */
const judged = (found: Quotation, evidence: Answer, lang: Language) =>
  evidence.outcome === "answered" ? { ...found, outcome: evidence.outcome } : asUnsure(found, lang);

/** Maps a job's timeouts to errors: 1007 if it ran too long, 429 if it waited too long and can be retried. */
const inTime = <T>(job: Promise<T>): Promise<T> =>
  job.catch((error: unknown) => {
    if (!(error instanceof JobError) || error.failure === "failed") throw error;
    if (error.failure === "overdue") throw new AnpError(429, undefined, { cause: error });
    throw new AnpError(1007, "The answer could not be computed in time.", { cause: error });
  });

const CACHED = 2000; // Converted texts in the cache: the front page repeats the same texts.

/** A copy of data with `write` applied to the texts at a path; a path passes through arrays to each element. */
function rewritten(data: unknown, [name = "", ...rest]: readonly string[], write: (text: string) => string): unknown {
  if (typeof data === "string") return write(data);
  if (Array.isArray(data)) return data.map((each) => rewritten(each, [name, ...rest], write));
  const fields = data as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: rewritten(fields[name], rest, write) };
}

/** Converts Chinese to the script of a language tag; if the conversion fails, texts stay Simplified.
 * @returns a function that takes the paths of the texts to convert, such as `topics.title` */
function createScriptWriter(runner: JobRunner<AssistantJobs>, logger: Logger) {
  const known = new LRUCache<string, string>({ max: CACHED });
  const failed = (error: unknown): string[] => {
    logger.warn({ err: error }, "Chinese could not be written in Traditional characters");
    return [];
  };
  return async <T extends object>(tag: string, data: T, ...paths: readonly string[]): Promise<T> => {
    const script = scriptOfTag(tag);
    if (script === undefined) return data;
    const rewrite = (write: (text: string) => string): T =>
      paths.reduce((copy, path) => rewritten(copy, path.split("."), write) as T, data);
    const found = new Map<string, string | undefined>();
    rewrite((text) => {
      if (hasHan(text)) found.set(text, known.get(`${script} ${text}`));
      return text;
    });
    const texts = Array.from(found.keys()).filter((text) => found.get(text) === undefined);
    const written = texts.length === 0 ? [] : await runner.run("write", { texts, script }).catch(failed);
    for (const [at, text] of written.entries()) {
      found.set(texts[at]!, text);
      known.set(`${script} ${texts[at]!}`, text);
    }
    return rewrite((text) => found.get(text) ?? text);
  };
}
