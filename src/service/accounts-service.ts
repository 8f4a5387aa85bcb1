import { createQuotaRules, type QuotaRules } from "../accounts/quota-rules.ts";
import { createSubscriptions, type Subscriptions } from "../accounts/subscriptions.ts";
import { createTokens, type Tokens } from "../accounts/tokens.ts";
import { createUsers, type Users } from "../accounts/users.ts";
import { checkInput, type RawInput } from "../contract/check-input.ts";
import { createLedger, type Ledger } from "../ledger/ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import { createIds, type Ids } from "../runtime/ids.ts";
import type { Random } from "../runtime/random.ts";
import type { Storage } from "../storage/storage.ts";
import type { Config } from "../config/config-schema.ts";
import type { Call, OperationHandler, Outcome } from "./operation.ts";
import { createPoints, type Points } from "./points.ts";
import { createUserStates, type UserStates } from "./user-state.ts";

/** The operations on a user's points, quota and plan. */
export type AccountOperationId = Exclude<keyof Points, "adjust">;

/** The part of the service that keeps users and their points: what answers no question and reads no news. */
export interface AccountsService {
  /**
   * Checks the input against the contract and runs the operation.
   *
   * @throws AnpError of the endpoint's catalogue; anything else thrown is an internal error
   */
  run<K extends AccountOperationId>(id: K, call: Call, raw: RawInput): Promise<Outcome<K>>;
  /** Frees the storage. */
  close(): Promise<void>;
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly storage: Storage;
  readonly users: Users;
  readonly tokens: Tokens;
  readonly subscriptions: Subscriptions;
  readonly ledger: Ledger;
  readonly userStates: UserStates;
  readonly adjust: Points["adjust"];
}

/** What the accounts are made of. */
export interface AccountsDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  /** Makes the ledger; the ledger room's own by default. */
  readonly openLedger?: (deps: { storage: Storage; clock: Clock; quotaRules: QuotaRules }) => Ledger;
}

export function createAccountsService(
  deps: AccountsDeps,
): AccountsService & { readonly quotaRules: QuotaRules; readonly handlers: Points } {
  const { config, storage, clock, random, openLedger = createLedger } = deps;
  const ttl_ms = config.auth.cache_ms;
  const ids = createIds(clock, random);
  const quotaRules = createQuotaRules(config.quota.timezone);
  const users = createUsers({ storage, clock, ttl_ms });
  const tokens = createTokens({ storage, clock, random, ttl_ms });
  const subscriptions = createSubscriptions({ storage, clock, plans: config.plans, ttl_ms });
  const ledger = openLedger({ storage, clock, quotaRules });
  const userStates = createUserStates({ users, ledger, quotaRules, clock, defaultQuota: config.quota.free_daily });
  const handlers = createPoints({ config, ids, ledger, userStates, subscriptions });
  const operations: { readonly [K in AccountOperationId]: OperationHandler<K> } = handlers;
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
    quotaRules,
    handlers,
    adjust: handlers.adjust,
    run: async (id, call, raw) => operations[id](call, checkInput(id, raw)),
    close: () => storage.close(),
  };
}
