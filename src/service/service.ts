import { createJwtVerifier, type JwtIdentity } from "../accounts/jwt-verifier.ts";
import { createAssistant } from "../assistant/assistant.ts";
import { checkInput, type RawInput } from "../contract/check-input.ts";
import type { OperationId } from "../contract/endpoints.ts";
import { createEvents, type Events } from "../events/events.ts";
import { createLedger, type Ledger } from "../ledger/ledger.ts";
import { createNews, type News } from "../news/news.ts";
import type { Views } from "../news/snapshot/views.ts";
import type { Clock } from "../runtime/clock.ts";
import { createTtlCache } from "../runtime/ttl-cache.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Random } from "../runtime/random.ts";
import { observeStorage } from "../storage/observe-storage.ts";
import type { Storage } from "../storage/storage.ts";
import { createAccountsService, type AccountsService } from "./accounts-service.ts";
import { createChat } from "./chat/chat.ts";
import type { Config } from "../config/config-schema.ts";
import { createFeed } from "./feed.ts";
import { observeLedger, observeModel, observeNews, type ServiceObserver } from "./observer.ts";
import { createKnowledge } from "./knowledge.ts";
import { createMessages } from "../assistant/sessions/messages.ts";
import type { Call, OperationHandler, Outcome } from "./operation.ts";
import { createSuggestions } from "./grounded-suggestions.ts";

/** The whole service: the 13 operations of the interface, and the rooms an operator works with. */
export interface Service extends AccountsService {
  /**
   * Checks the input against the contract and runs the operation.
   *
   * @throws AnpError of the endpoint's catalogue; anything else thrown is an internal error
   */
  run<K extends OperationId>(id: K, call: Call, raw: RawInput): Promise<Outcome<K>>;
  /** The user a token stands for: one of ours, or the platform's; undefined when it is not valid. */
  authenticate(token: string): Promise<string | undefined>;
  /** @throws StorageError when the storage does not answer */
  ready(): Promise<void>;
  /** Does beforehand what the first question and the first front page would have to wait for. */
  warm(): Promise<void>;
  /** Waits for what is queued, then frees the storage. */
  close(): Promise<void>;
  readonly news: News;
  readonly events: Events;
}

/** What a service is made of. */
export interface ServiceDeps {
  readonly config: Config;
  /** Folder that the paths of the config are relative to. */
  readonly baseDir: string;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Instant a fixture was written for, ms since the epoch: its dates move from there to the clock's now. */
  readonly anchor_ms?: number;
  /** How to reach the model's endpoint; the platform's fetch by default. */
  readonly modelFetch?: typeof fetch;
  /** What news snapshots are shown through; the news room's own by default. */
  readonly newsViews?: Views;
  /** Learns what the service does. */
  readonly observer?: ServiceObserver;
}

export async function createService(deps: ServiceDeps): Promise<Service> {
  const { config, baseDir, clock, random, logger, observer } = deps;
  const storage = observer === undefined ? deps.storage : observeStorage(deps.storage, observer);
  const ttl_ms = config.auth.cache_ms;
  const accounts = createAccountsService({ config, storage, clock, random, openLedger });
  const { ids, users, tokens, subscriptions, ledger, userStates, quotaRules, handlers: points } = accounts;
  const events = createEvents({ storage, clock, ids, logger });
  const shift = deps.anchor_ms === undefined ? {} : { shift: { anchor_ms: deps.anchor_ms } };
  const views = deps.newsViews === undefined ? {} : { views: deps.newsViews };
  const holder = random.bytes(8).toString("hex");
  const ownNews = createNews({ config: config.news, baseDir, storage, clock, logger, holder, ...shift, ...views });
  const news = observer === undefined ? ownNews : observeNews(ownNews, observer);
  const assistant = await openAssistant();
  const knowledge = createKnowledge({ news, assistant });
  const chat = createChat({
    config,
    clock,
    ids,
    logger,
    quotaRules,
    ledger,
    userStates,
    subscriptions,
    messages: createMessages({ storage, clock, ids }),
    assistant,
    knowledge,
    news,
    events,
  });
  const local = config.model === undefined ? assistant : createAssistant({ logger });
  const suggestions = createSuggestions({ assistant: local, knowledge, clock });
  const feed = createFeed({ config, baseDir, clock, logger, news, events, suggestions });

  const handlers: { readonly [K in OperationId]: OperationHandler<K> } = { sendChat: chat, ...points, ...feed };

  async function openAssistant() {
    if (config.model === undefined) return createAssistant({ logger });
    const modelFetch = deps.modelFetch === undefined ? {} : { fetch: deps.modelFetch };
    const { createModelGateway } = await import("../assistant/model/model-gateway.ts");
    const model = createModelGateway(config.model, { logger, ...modelFetch });
    return createAssistant({ logger, model: observer === undefined ? model : observeModel(model, observer) });
  }

  function openLedger(ledgerDeps: Parameters<typeof createLedger>[0]): Ledger {
    if (observer === undefined) return createLedger(ledgerDeps);
    const onConflict = (): void => {
      observer.conflicted();
    };
    return observeLedger(createLedger({ ...ledgerDeps, onConflict }), observer);
  }

  const verifyJwt = config.auth.jwt === undefined ? undefined : await createJwtVerifier(config.auth.jwt, clock);

  /** Takes over what the platform says of a user, so that every surface shows the same. */
  async function adopt(identity: JwtIdentity): Promise<void> {
    const { user_id, as_of, free_daily_quota, plan, lang } = identity;
    const settings = {
      ...(free_daily_quota === undefined ? {} : { free_daily_quota }),
      ...(lang === undefined ? {} : { lang }),
    };
    await users.adopt(user_id, settings, as_of);
    if (plan === undefined || !Object.hasOwn(config.plans, plan)) return;
    await subscriptions.adopt(user_id, plan, as_of);
  }

  const platformUsers = createTtlCache(ttl_ms, async (token: string) => {
    const identity = await verifyJwt?.(token);
    if (identity !== undefined) await adopt(identity);
    return identity;
  });

  return {
    config,
    clock,
    ids,
    storage,
    users,
    tokens,
    subscriptions,
    ledger,
    userStates,
    news,
    events,
    adjust: points.adjust,
    run: async (id, call, raw) => handlers[id](call, checkInput(id, raw)),
    async authenticate(token) {
      const user = await tokens.resolve(token);
      if (user !== undefined || verifyJwt === undefined) return user;
      const identity = await platformUsers.get(token);
      return identity === undefined || identity.expires_at <= clock.now() ? undefined : identity.user_id;
    },
    async ready() {
      await storage.get(["ready", "probe"]);
    },
    async warm() {
      assistant.route("warm", { history: [] });
      await Promise.all([
        knowledge.index(),
        feed.getHotTopics({ request_id: ids.request() }, { query: { days: 30, limit: 1 }, body: undefined }),
        ...["zh", "en"].map((lang) =>
          feed.getNewsTopics({ request_id: ids.request() }, { query: { limit: 5, lang }, body: undefined }),
        ),
      ]);
    },
    async close() {
      await Promise.all([news.close(), events.close()]);
      await storage.close();
    },
  };
}
