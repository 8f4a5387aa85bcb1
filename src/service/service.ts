import { createJwtVerifier, type JwtIdentity } from "../accounts/jwt.ts";
import { createQuotaRules } from "../accounts/quota.ts";
import { createSubscriptions, FREE_PLAN, type Subscriptions } from "../accounts/subscription.ts";
import { createTokens, type Tokens } from "../accounts/tokens.ts";
import { createUsers, type Users } from "../accounts/users.ts";
import { createAssistant } from "../assistant/assistant.ts";
import { checkInput, type RawInput } from "../contract/check.ts";
import type { OperationId } from "../contract/endpoints.ts";
import { createEvents, type Events } from "../events/events.ts";
import { createLedger, type Ledger } from "../ledger/ledger.ts";
import { createNews, type News } from "../news/news.ts";
import type { Clock } from "../runtime/clock.ts";
import { createFreshCache } from "../runtime/fresh.ts";
import { createIds, type Ids } from "../runtime/ids.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Random } from "../runtime/random.ts";
import type { Storage } from "../storage/storage.ts";
import { createChat } from "./chat.ts";
import type { Config } from "./config.ts";
import { createFeed } from "./feed.ts";
import { createKnowledge } from "./knowledge.ts";
import { createMessages } from "./messages.ts";
import type { Call, OperationHandler, Outcome } from "./operation.ts";
import { createPoints, type Points } from "./points.ts";
import { createSuggestions } from "./suggestions.ts";
import { createStandings, type Standings } from "./standings.ts";

/** The whole service: the 13 operations of the interface, and the rooms an operator works with. */
export interface Service {
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
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly storage: Storage;
  readonly users: Users;
  readonly tokens: Tokens;
  readonly subscriptions: Subscriptions;
  readonly ledger: Ledger;
  readonly standings: Standings;
  readonly news: News;
  readonly events: Events;
  readonly adjust: Points["adjust"];
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
}

export async function createService(deps: ServiceDeps): Promise<Service> {
  const { config, baseDir, storage, clock, random, logger } = deps;
  const ttl_ms = config.auth.cache_ms;
  const ids = createIds(clock, random);
  const quotaRules = createQuotaRules(config.quota.timezone);
  const users = createUsers({ storage, clock, ttl_ms });
  const tokens = createTokens({ storage, clock, random, ttl_ms });
  const subscriptions = createSubscriptions({ storage, clock, plans: config.plans, ttl_ms });
  const ledger = createLedger({ storage, clock, quotaRules });
  const events = createEvents({ storage, clock, ids, logger });
  const shift = deps.anchor_ms === undefined ? {} : { shift: { anchor_ms: deps.anchor_ms } };
  const news = createNews({ config: config.news, baseDir, storage, clock, logger, ...shift });
  const assistant = await openAssistant();
  const standings = createStandings({ users, ledger, quotaRules, clock, defaultQuota: config.quota.free_daily });
  const points = createPoints({ config, ids, ledger, standings, subscriptions });
  const knowledge = createKnowledge({ news, assistant });
  const chat = createChat({
    config,
    clock,
    ids,
    logger,
    quotaRules,
    ledger,
    standings,
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
    const { createModelGateway } = await import("../assistant/model.ts");
    return createAssistant({ logger, model: createModelGateway(config.model, { logger }) });
  }

  const verifyJwt = config.auth.jwt === undefined ? undefined : await createJwtVerifier(config.auth.jwt, clock);

  /** Takes over what the platform says of a user, so that every surface shows the same. */
  async function adopt(identity: JwtIdentity): Promise<void> {
    const { user_id, free_daily_quota, plan, lang } = identity;
    await users.ensure(user_id, {
      ...(free_daily_quota === undefined ? {} : { free_daily_quota }),
      ...(lang === undefined ? {} : { lang }),
    });
    if (plan === undefined || !Object.hasOwn(config.plans, plan)) return;
    const held = await subscriptions.get(user_id);
    if (held.plan === plan && (held.is_active || plan === FREE_PLAN)) return;
    await subscriptions.set(user_id, plan, { started_at: clock.now() });
  }

  const platformUsers = createFreshCache(ttl_ms, async (token: string) => {
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
    standings,
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
      await events.close();
      await storage.close();
    },
  };
}
