import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createAuthenticator } from "../accounts/authenticator.ts";
import { assistantInProcess, assistantInWorker } from "../assistant/jobs/assistant-runner.ts";
import { readLexicon } from "../assistant/lexicon-file.ts";
import { createHostedAssistant, type HostedAssistant } from "../assistant/hosted-assistant.ts";
import type { ModelGateway } from "../assistant/model/provider-failover.ts";
import { createTokenBudgets, type TokenObserver } from "../assistant/model/token-budgets.ts";
import type { EmbeddingsObserver } from "../assistant/embeddings/embeddings-client.ts";
import type { EmbeddedContent } from "../assistant/embeddings/embeddings.ts";
import { readQuestions } from "../assistant/recommended-questions.ts";
import { createMessages } from "../assistant/sessions/messages.ts";
import { validateRequest, type RawInput } from "../contract/validation/validate-request.ts";
import type { OperationId } from "../contract/endpoints.ts";
import { createEvents } from "../events/events.ts";
import { newsInWorker } from "../news/jobs/news-runner.ts";
import { createNews, type News, type NewsDeps, type RefreshMode } from "../news/news.ts";
import type { Logger } from "../runtime/logger.ts";
import { createDamageReporter } from "../storage/health/damage-reporter.ts";
import { observeStorage, type StorageObserver } from "../storage/observe-storage.ts";
import { systemClock } from "../runtime/clock.ts";
import { createWriteProbe } from "../storage/health/last-use.ts";
import { createAccountsService, type AccountsDeps } from "./accounts-service.ts";
import { createChat } from "./chat/chat.ts";
import { createFrontPageOperations, type FrontPageOperations } from "./front-page.ts";
import { checkRecommended, createGroundedSuggestions } from "./grounded-suggestions.ts";
import { createKnowledge } from "./knowledge.ts";
import type { Call, OperationHandler, Outcome } from "./operation.ts";
import type { JobObserver } from "../compute/job-runner.ts";
import { AnpError } from "../contract/errors.ts";
import type { LedgerObserver } from "../ledger/user-ledger.ts";

/** The whole service: the 13 operations of the interface, and the modules that operators work with. */
export type Service = Awaited<ReturnType<typeof createService>>;

export interface ServiceDeps extends AccountsDeps {
  readonly baseDir: string;
  readonly logger: Logger;
  readonly anchor_ms?: number; // Instant (ms) that a fixture was written for: its dates are shifted to the clock's now.
  readonly modelFetch?: typeof fetch; // How to reach the model's endpoint; the platform's fetch by default.
  readonly newsViews?: NonNullable<NewsDeps["views"]>; // Views of snapshots; those of `news` by default.
  readonly observer?: ServiceObserver;
  readonly workers?: boolean | undefined; // Whether to process untrusted text in worker threads, as a daemon must.
  readonly runners?: Partial<JobRunners>; // Runners for jobs without workers; own ones by default.
}

/** The runners of jobs on untrusted text, for the assistant and the news. */
export interface JobRunners {
  readonly assistant: ReturnType<typeof assistantInWorker>;
  readonly news: ReturnType<typeof newsInWorker>;
}

type Operations = { readonly [K in OperationId]: OperationHandler<K> };

/** @example
 * const service = await createService({ config, baseDir, storage, clock: systemClock, random: systemRandom, logger });
 * const { data } = await service.run("getPoints", { request_id: "req-1", user: "alice" }, {});
 * await service.close(); */
export async function createService(given: ServiceDeps) {
  const { observer } = given;
  const deps = observer === undefined ? given : { ...given, storage: observeStorage(given.storage, observer) };
  const probe = createWriteProbe(deps.storage, deps.clock !== systemClock);
  const accounts = createAccountsService(deps);
  const messages = createMessages({ ...accounts, kept_days: deps.config.retention.answers_days });
  const parts = { ...deps, ...accounts, messages };
  const reportDamage = createDamageReporter(deps);
  const events = createEvents({ ...parts, reportDamage });
  const questions = (await readNamed(deps, "questions", readQuestions)) ?? [];
  const published = openNews(deps);
  const assistant = await openAssistant(deps);
  const knowledge = createKnowledge({ news: published, assistant });
  const { budget } = deps.config.model ?? {};
  const budgets = budget && createTokenBudgets({ ...parts, budget, dayOf: accounts.quotaRules.dayOf });
  const suggestions = createGroundedSuggestions({ ...parts, questions, assistant, knowledge, news: published });
  const news = finishRefreshes(published, () => suggestions.renew(), observer);
  const chat = createChat({ ...parts, reportDamage, budgets, events, news, assistant, knowledge, suggestions });
  const feed = createFrontPageOperations({ ...parts, questions, news, events, suggestions, assistant, reportDamage });
  const operations: Operations = { ...accounts.operations, ...feed, sendChat: chat };
  return {
    ...accounts,
    logger: deps.logger,
    operations,
    news,
    events,
    reportDamage,
    checkRecommended: () =>
      checkRecommended({ ...deps, news: published, questions, assistant, knowledge, suggestions }),
    breakers: assistant.breakers, // Of the model's endpoints; empty without a model.
    embeddings: assistant.embeddings, // Undefined if not configured.
    /** Keeps the vectors of quotable texts up to date until the signal is aborted, if embeddings are configured. */
    keepVectors: async (signal: AbortSignal) => assistant.embeddings?.run(signal, knowledge.ready),
    /** The tokens that the model has used of the day's budget; undefined without one. */
    tokensOfDay: async () => budgets?.ofDay(),
    /** Checks the input against the contract and runs the operation.
     * @throws AnpError of the endpoint's catalogue; anything else thrown is an internal error */
    run: async <K extends OperationId>(id: K, call: Call, raw: RawInput): Promise<Outcome<K>> =>
      operations[id](call, validateRequest(id, raw)),
    authenticate: await createAuthenticator({ ...accounts, logger: deps.logger }),
    /** Whether the storage takes writes, as of the last second. @throws StorageError when it does not */
    ready: () => probe.recent(),
    probe: () => probe.run(),
    /** Warms the caches that the first question and the first front page would wait for. A failure is only logged. */
    async warm(): Promise<void> {
      const all = [assistant.warm(), knowledge.ready(), warmFeed(feed, accounts.ids.request())];
      await Promise.all(all).catch((error: unknown) => deps.logger.warn({ err: error }, "could not warm up"));
    },
    /** Waits for the writes that follow replies: session turns, events, and the index of operations. */
    settled: (): Promise<unknown> => Promise.all([messages.settled(), events.flush(), accounts.ledger.settled()]),
    /** Waits for what is queued, then frees the storage. */
    async close(): Promise<void> {
      await Promise.all([news.close(), events.close(), assistant.close(), messages.settled()]);
      await accounts.close();
    },
  };
}

function openNews(deps: ServiceDeps): News {
  const { logger, anchor_ms, newsViews, observer, workers } = deps;
  const runner = workers ? newsInWorker({ logger, observer }) : deps.runners?.news;
  const shift = anchor_ms === undefined ? undefined : { anchor_ms };
  return createNews({ ...deps, config: deps.config.news, shift, runner, views: newsViews });
}

async function openAssistant(deps: ServiceDeps): Promise<HostedAssistant> {
  const { logger, observer, workers = false } = deps;
  const runner = workers ? assistantInWorker({ logger, observer }) : (deps.runners?.assistant ?? assistantInProcess());
  const lexicon = await readNamed(deps, "lexicon", readLexicon);
  const { embeddings: vectors } = deps.config;
  const { createEmbeddings } = vectors === undefined ? {} : await import("../assistant/embeddings/embeddings.ts");
  const embeddings = createEmbeddings && ((on: EmbeddedContent) => createEmbeddings(vectors!, { ...deps, ...on }));
  return createHostedAssistant({ runner, model: await openModel(deps), logger, lexicon, embeddings });
}

/** Reads a file that the configuration names; undefined if it names none. */
function readNamed<T>({ config, baseDir }: ServiceDeps, name: "lexicon" | "questions", read: (file: string) => T) {
  const file = config.assistant[name];
  return file === undefined ? undefined : read(resolve(baseDir, file));
}

async function openModel(deps: ServiceDeps): Promise<ModelGateway | undefined> {
  const { config, baseDir, logger, modelFetch, observer } = deps;
  if (config.model === undefined) return undefined;
  const { createModelGateway } = await import("../assistant/model/provider-failover.ts");
  const readKey = (file: string): string => readFileSync(resolve(baseDir, file), "utf8");
  const model = createModelGateway(config.model, { logger, readKey, ...(modelFetch && { fetch: modelFetch }) });
  return observer === undefined ? model : observeModel(model, observer);
}

async function warmFeed(feed: FrontPageOperations, request_id: string): Promise<void> {
  const topicsIn = (lang: string) => feed.getNewsTopics({ request_id }, { query: { limit: 5, lang }, body: undefined });
  const hot = feed.getHotTopics({ request_id }, { query: { days: 30, limit: 1, lang: "zh" }, body: undefined });
  await Promise.all([hot, topicsIn("zh"), topicsIn("en")]);
}

type ModelOutcome = "answered" | "no_answer" | "failed" | "abandoned";

/** Observes a service, for metrics and logs. Its methods are cheap and never throw. */
export interface ServiceObserver
  extends StorageObserver, LedgerObserver, JobObserver, TokenObserver, EmbeddingsObserver {
  /** A call of the model ended; `abandoned` when its caller had disconnected. */
  modelCalled(outcome: ModelOutcome, ms: number): void;
  /** A refresh of the news ended; a failing source alone does not make it fail. */
  refreshed(mode: RefreshMode, ok: boolean, ms: number): void;
}

const observeModel = (model: ModelGateway, observer: ServiceObserver): ModelGateway => ({
  ...model,
  generate(request, check, use) {
    const started = performance.now();
    const ended = (outcome: ModelOutcome): void => observer.modelCalled(outcome, performance.now() - started);
    const answer = model.generate(request, check, use);
    answer.then(
      ({ value }) => ended(value === null ? "no_answer" : "answered"),
      (error: unknown) => ended(error instanceof AnpError ? "failed" : "abandoned"),
    );
    return answer;
  },
});

/** A refresh ends when the lists for readers are made of the new snapshot. */
function finishRefreshes(news: News, renew: () => Promise<void>, observer: ServiceObserver | undefined): News {
  async function finish<T>(mode: RefreshMode, refreshing: Promise<T>): Promise<T> {
    const started = performance.now();
    const ended = (ok: boolean): void => observer?.refreshed(mode, ok, performance.now() - started);
    const result = await refreshing.catch((error: unknown) => {
      ended(false);
      throw error;
    });
    if (result !== undefined) ended(true); // A refresh by another process is reported by that process.
    await renew();
    return result;
  }

  return {
    ...news,
    refresh: (mode, notWithin_ms) => finish(mode, news.refresh(mode, notWithin_ms)),
    refreshAfter: (after, mode) => finish(mode, news.refreshAfter(after, mode)),
  };
}
