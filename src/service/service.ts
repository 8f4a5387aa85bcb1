import { createAuthenticator, type Authenticator } from "../accounts/authenticator.ts";
import { createAssistant, type Assistant } from "../assistant/assistant.ts";
import { createMessages } from "../assistant/sessions/messages.ts";
import { checkInput, type RawInput } from "../contract/check-input.ts";
import type { OperationId } from "../contract/endpoints.ts";
import { createEvents, type Events } from "../events/events.ts";
import { createNews, type News, type NewsDeps } from "../news/news.ts";
import type { Logger } from "../runtime/logger.ts";
import { observeStorage } from "../storage/observe-storage.ts";
import { createAccountsService, type AccountsDeps, type AccountsService } from "./accounts-service.ts";
import { createChat } from "./chat/chat.ts";
import { createFrontPageOperations, type FrontPageOperations } from "./front-page.ts";
import { createSuggestions } from "./grounded-suggestions.ts";
import { createKnowledge } from "./knowledge.ts";
import { observeModel, observeNews, type ServiceObserver } from "./observer.ts";
import type { Call, OperationHandler, Outcome } from "./operation.ts";

/** The whole service: the 13 operations of the interface, and the modules that operators work with. */
export interface Service extends AccountsService {
  /**
   * Checks the input against the contract and runs the operation.
   *
   * @throws AnpError of the endpoint's catalogue; anything else thrown is an internal error
   */
  run<K extends OperationId>(id: K, call: Call, raw: RawInput): Promise<Outcome<K>>;
  readonly authenticate: Authenticator;
  /** @throws StorageError when the storage does not answer */
  ready(): Promise<void>;
  /** Computes in advance what the first question and the first front page would wait for. */
  warm(): Promise<void>;
  /** Waits for what is queued, then frees the storage. */
  close(): Promise<void>;
  readonly news: News;
  readonly events: Events;
}

/** The dependencies of the service. */
export interface ServiceDeps extends AccountsDeps {
  /** Folder that the paths of the config are relative to. */
  readonly baseDir: string;
  readonly logger: Logger;
  /** Instant a fixture was written for, ms since the epoch: its dates move from there to the clock's now. */
  readonly anchor_ms?: number;
  /** How to reach the model's endpoint; the platform's fetch by default. */
  readonly modelFetch?: typeof fetch;
  /** What news snapshots are shown through; the news room's own by default. */
  readonly newsViews?: NonNullable<NewsDeps["views"]>;
  readonly observer?: ServiceObserver;
}

/**
 * @example
 * const service = await createService({ config, baseDir, storage, clock: systemClock, random: systemRandom, logger });
 * const { data } = await service.run("getPoints", { request_id: "req-1", user: "alice" }, {});
 * await service.close();
 */
export async function createService(given: ServiceDeps): Promise<Service> {
  const { observer } = given;
  const deps = observer === undefined ? given : { ...given, storage: observeStorage(given.storage, observer) };
  const accounts = createAccountsService(deps);
  const parts = { ...deps, ...accounts, messages: createMessages(accounts) };
  const events = createEvents(parts);
  const news = openNews(deps);
  const assistant = await openAssistant(deps);
  const knowledge = createKnowledge({ news, assistant });
  const chat = createChat({ ...parts, events, news, assistant, knowledge });
  const local = deps.config.model === undefined ? assistant : createAssistant(deps);
  const suggestions = createSuggestions({ ...parts, assistant: local, knowledge });
  const feed = createFrontPageOperations({ ...parts, news, events, suggestions });
  const operations: { readonly [K in OperationId]: OperationHandler<K> } = {
    ...accounts.operations,
    ...feed,
    sendChat: chat,
  };
  return {
    ...accounts,
    operations,
    news,
    events,
    run: async (id, call, raw) => operations[id](call, checkInput(id, raw)),
    authenticate: await createAuthenticator(accounts),
    async ready() {
      await deps.storage.get(["ready", "probe"]);
    },
    async warm() {
      assistant.route("warm", { history: [] });
      await Promise.all([knowledge.index(), warmFeed(feed, accounts.ids.request())]);
    },
    async close() {
      await Promise.all([news.close(), events.close()]);
      await accounts.close();
    },
  };
}

function openNews({
  config,
  baseDir,
  storage,
  clock,
  logger,
  random,
  anchor_ms,
  newsViews,
  observer,
}: ServiceDeps): News {
  const news = createNews({
    config: config.news,
    baseDir,
    storage,
    clock,
    logger,
    holder: random.bytes(8).toString("hex"),
    ...(anchor_ms === undefined ? {} : { shift: { anchor_ms } }),
    ...(newsViews === undefined ? {} : { views: newsViews }),
  });
  return observer === undefined ? news : observeNews(news, observer);
}

async function openAssistant({ config, logger, modelFetch, observer }: ServiceDeps): Promise<Assistant> {
  if (config.model === undefined) return createAssistant({ logger });
  const { createModelGateway } = await import("../assistant/model/model-gateway.ts");
  const model = createModelGateway(config.model, { logger, ...(modelFetch !== undefined && { fetch: modelFetch }) });
  return createAssistant({ logger, model: observer === undefined ? model : observeModel(model, observer) });
}

/** Requests what most front pages show, so that it is computed and cached. */
async function warmFeed(feed: FrontPageOperations, request_id: string): Promise<void> {
  const topicsIn = (lang: string) => feed.getNewsTopics({ request_id }, { query: { limit: 5, lang }, body: undefined });
  await Promise.all([
    feed.getHotTopics({ request_id }, { query: { days: 30, limit: 1 }, body: undefined }),
    topicsIn("zh"),
    topicsIn("en"),
  ]);
}
