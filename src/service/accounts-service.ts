import { createQuotaRules } from "../accounts/quota-rules.ts";
import { createSubscriptions } from "../accounts/subscriptions.ts";
import { createUsers } from "../accounts/users.ts";
import { createTokens } from "../accounts/tokens.ts";
import type { Config } from "../config/config-schema.ts";
import { validateRequest, type RawInput } from "../contract/validation/validate-request.ts";
import { createLedger } from "../ledger/ledger.ts";
import type { LedgerDeps } from "../ledger/user-ledger.ts";
import { OPERATOR_PREFIX } from "../contract/roles.ts";
import { createIds } from "../runtime/ids.ts";
import { systemRandom, type Random } from "../runtime/random.ts";
import { documentsBelow } from "../storage/documents.ts";
import type { Call, Outcome } from "./operation.ts";
import { createPoints, type AccountOperationId } from "./points.ts";
import { createUserStates } from "./user-state.ts";

export type AccountsDeps = Pick<LedgerDeps, "storage" | "clock" | "observer"> & { config: Config; random: Random };

/** The part of the service for users and their points, without assistant and news. */
export type AccountsService = ReturnType<typeof createAccountsService>;

export function createAccountsService({ config, storage, clock, random, observer }: AccountsDeps) {
  const ttl_ms = config.auth.cache_ms;
  const ids = createIds(clock, random);
  const quotaRules = createQuotaRules(config.quota.timezone);
  const users = createUsers({ storage, clock, ttl_ms });
  // Tokens are unpredictable even if everything else uses a seed.
  const secret = { storage, clock, random: systemRandom, ttl_ms };
  const tokens = createTokens(secret);
  // Stored separately: no token is both a user's and an operator's.
  const apart = { prefix: OPERATOR_PREFIX, storage: documentsBelow(storage, "operators") };
  const operators = createTokens({ ...secret, ...apart });
  const subscriptions = createSubscriptions({ storage, clock, plans: config.plans, ttl_ms });
  const ledger = createLedger({ storage, clock, quotaRules, ...(observer !== undefined && { observer }) });
  const userStates = createUserStates({ users, ledger, quotaRules, clock, defaultQuota: config.quota.free_daily });
  const parts = { config, clock, ids, storage, users, tokens, operators, subscriptions, ledger, userStates };
  const points = createPoints(parts);
  return {
    ...parts,
    ...points,
    quotaRules,
    run: async <K extends AccountOperationId>(id: K, call: Call, raw: RawInput): Promise<Outcome<K>> =>
      points.operations[id](call, validateRequest(id, raw)),
    async close(): Promise<void> {
      await ledger.settled();
      await storage.close();
    },
  };
}
