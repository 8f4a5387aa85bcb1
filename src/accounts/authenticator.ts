import type { Config } from "../config/config-schema.ts";
import { LIMITS } from "../contract/field-bounds.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createTtlCache } from "../runtime/ttl-cache.ts";
import { createJwtVerifier, isJwt, type JwtIdentity } from "./jwt-verifier.ts";
import type { Subscriptions, Users } from "./users.ts";
import type { Tokens } from "./tokens.ts";

/** The user of a token, one of ours or the platform's; undefined when it is not valid. */
export type Authenticator = (token: string) => Promise<string | undefined>;

export async function createAuthenticator(deps: {
  config: Config;
  clock: Clock;
  users: Users;
  tokens: Tokens;
  subscriptions: Subscriptions;
  logger: Logger;
}): Promise<Authenticator> {
  const { config, clock, users, tokens, subscriptions, logger } = deps;
  const { jwt, cache_ms } = config.auth;
  if (jwt === undefined) return (token) => tokens.resolve(token);
  const verify = await createJwtVerifier(jwt, clock, logger);

  /** Stores the platform's settings of a user, so that every surface shows the same. */
  async function adopt({ user_id, as_of, free_daily_quota, plan, lang }: JwtIdentity): Promise<void> {
    const settings = {
      ...(free_daily_quota !== undefined && { free_daily_quota }),
      ...(lang !== undefined && { lang }),
    };
    await users.adopt(user_id, settings, as_of);
    if (plan !== undefined && Object.hasOwn(config.plans, plan)) await subscriptions.adopt(user_id, plan, as_of);
  }

  const identities = createTtlCache(cache_ms, async (token: string) => {
    const identity = await verify(token);
    if (identity !== undefined) await adopt(identity);
    return identity;
  });

  return async (token) => {
    // The storage is asked only for what cannot be the platform's.
    if (!isJwt(token)) return tokens.resolve(token);
    if (token.length > LIMITS.token) return undefined;
    const identity = await identities.get(token);
    return identity === undefined || identity.expires_at <= clock.now() ? undefined : identity.user_id;
  };
}
