import type { Config, JwtConfig } from "../config/config-schema.ts";
import { LIMITS } from "../contract/field-bounds.ts";
import type { Clock } from "../runtime/clock.ts";
import { type Logger, silentLogger } from "../runtime/logger.ts";
import { createTtlCache } from "../runtime/cache/ttl-cache.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { Users } from "./users.ts";
import type { Tokens } from "./tokens.ts";
import { AnpError } from "../contract/errors.ts";
import { codePoints, isPortable, type Language } from "../contract/schemas/shared-fields.ts";
import { sha256 } from "../runtime/json/canonical-json.ts";
import { readBytes } from "../runtime/read-bytes.ts";
import { createLineLimit, createThrottle } from "../runtime/throttle.ts";

type Accounts = { users: Users; tokens: Tokens; subscriptions: Subscriptions };
type AuthenticatorDeps = Accounts & { config: Config; clock: Clock; logger: Logger };

/** Returns a function from a valid token to its user; without a promise if the token is cached. */
export async function createAuthenticator({ config, clock, users, tokens, subscriptions, logger }: AuthenticatorDeps) {
  const { jwt, cache_ms } = config.auth;
  if (jwt === undefined) return (token: string) => tokens.resolve(token);
  const verify = await createJwtVerifier(jwt, clock, logger);
  const ignored = createThrottle<string>(LOGGED_EVERY_MS, (times, rule) => logger.warn({ times, rule }, IGNORED));

  // It also stores the token's settings of the user, so that the API and the command line show the same.
  const identities = createTtlCache(cache_ms, async (token: string) => {
    const identity = await verify(token);
    if (identity === undefined) return undefined;
    const { user_id, as_of, plan, quota, lang } = identity;
    const hasQuota = typeof quota === "number" && Number.isSafeInteger(quota) && quota >= 0;
    if (quota !== undefined && !hasQuota)
      ignored.note(`${jwt.claims.free_daily_quota} must be an integer from 0 to ${LIMITS.integer}`);
    await users.adopt(user_id, { ...(hasQuota && { free_daily_quota: quota }), ...lang }, as_of);
    if (typeof plan === "string" && Object.hasOwn(config.plans, plan)) await subscriptions.adopt(user_id, plan, as_of);
    else if (plan !== undefined)
      ignored.note(`${jwt.claims.plan} must be one of ${Object.keys(config.plans).join(", ")}`);
    return identity;
  });

  const activeOf = (identity: JwtIdentity | undefined): string | undefined =>
    identity === undefined || identity.expires_at <= clock.now() ? undefined : identity.user_id;
  return (token: string) => {
    // Only tokens that cannot be the platform's are looked up in the storage.
    if (!isJwt(token)) return tokens.resolve(token);
    if (token.length > LIMITS.token) return verify(token).then(activeOf); // It is refused, and not cached.
    const known = identities.known(token);
    return known ? activeOf(known) : identities.get(token).then(activeOf);
  };
}

/** The claims of a valid platform token. */
export type JwtIdentity = NonNullable<ReturnType<typeof identityOf>>;

/** The codes of jose's errors for a key set that times out, has another status than 200, or is invalid. */
const KEY_SET_ERRORS: ReadonlySet<string> = new Set(["ERR_JWKS_TIMEOUT", "ERR_JOSE_GENERIC", "ERR_JWKS_INVALID"]);
const KEY_SET = { ms: 2000, bytes: 1024 * 1024 };
const PAUSE_MS = 1000; // After the key set failed, callers fail fast for this long, ms.
const LOGGED_EVERY_MS = 30_000;
const IGNORED =
  "claims of the platform's tokens were ignored: the stored value, or for a new user the default, is used";
/** Whether a token is a compact JWS, whose header is a JSON object in base64url. The text is not verified. */
const isJwt = (token: string): boolean => /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(token);

/** Returns the verifier of platform tokens: undefined for an invalid one, AnpError 503 without the key set. */
export async function createJwtVerifier(config: JwtConfig, clock: Clock, logger: Logger = silentLogger) {
  const { jwtVerify, createRemoteJWKSet, customFetch, errors } = await import("jose");
  const { user_id } = config.claims;
  const options = {
    ...(config.issuer !== undefined && { issuer: config.issuer }),
    ...(config.audience !== undefined && { audience: config.audience }),
    requiredClaims: ["exp", user_id],
  };
  const secret = config.secret === undefined ? undefined : new TextEncoder().encode(config.secret);
  const { jwks_url } = config;
  const tooLarge = () => new errors.JWKSInvalid(`the key set is larger than ${KEY_SET.bytes} bytes`);
  const fetchKeys = async (url: string, init: RequestInit): Promise<Response> => {
    const { status, body } = await fetch(url, init);
    return new Response(await readBytes(body, KEY_SET.bytes, tooLarge), { status });
  };
  const keys =
    jwks_url && createRemoteJWKSet(new URL(jwks_url), { timeoutDuration: KEY_SET.ms, [customFetch]: fetchKeys });
  const failed = createThrottle<string>(LOGGED_EVERY_MS, (times, reason) => {
    logger.error({ times, reason }, "the key set of auth.jwt.jwks_url cannot be read: its tokens are refused with 503");
  });
  let failedAt = -Infinity;
  const mayLog = createLineLimit();
  const refuse = (why: string): JwtIdentity | undefined => {
    if (mayLog()) logger.debug({ reason: why }, "a token of the platform was refused");
    return undefined;
  };

  return async (token: string): Promise<JwtIdentity | undefined> => {
    if (token.length > LIMITS.token) return refuse(`It is longer than ${LIMITS.token} characters.`);
    if (performance.now() - failedAt < PAUSE_MS) throw unreachable();
    const current = { ...options, currentDate: new Date(clock.now()) };
    try {
      const { payload } = keys
        ? await jwtVerify(token, keys, current)
        : await jwtVerify(token, secret!, { ...current, algorithms: ["HS256"] });
      return (
        identityOf(payload, config) ?? refuse(`${user_id} must have 1 to ${LIMITS.userId} characters, all visible`)
      );
    } catch (error) {
      // An unreachable key set is the operator's problem, not the user's: it must not look like an invalid token.
      if (error instanceof errors.JOSEError && !KEY_SET_ERRORS.has(error.code)) return refuse(error.message);
      if (!keys) throw error;
      failedAt = performance.now();
      failed.note(String(error));
      throw unreachable(error);
    }
  };
}

const unreachable = (cause?: unknown) =>
  new AnpError(503, "The keys of the platform's tokens cannot be read.", { cause });

function identityOf(payload: Record<string, unknown>, { claims }: JwtConfig) {
  const user = payload[claims.user_id];
  // A number that JSON cannot represent exactly may be another user's.
  if (typeof user !== "string" && !Number.isSafeInteger(user)) return undefined;
  const user_id = String(user);
  const isClean = user_id !== "" && isPortable(user_id) && !/[\p{Cc}\p{Cf}]|^\s|\s$/u.test(user_id); // It is printed.
  if (!isClean || codePoints(user_id) > LIMITS.userId) return undefined;
  const [quota, plan, lang] = [claims.free_daily_quota, claims.plan, claims.lang].map(
    (name) => payload[name] ?? undefined,
  );
  const known: Language | undefined = lang === "zh" || lang === "en" ? lang : undefined;
  return {
    user_id,
    expires_at: Number(payload["exp"]) * 1000, // Milliseconds since the epoch: from then on the token is not valid.
    as_of: asOf(payload["iat"], payload["exp"], [quota, plan, lang]), // Orders tokens: the claims of the one with the greater text are newer.
    ...{ quota, plan }, // As they came: the configuration bounds them.
    lang: known && { lang: known },
  };
}

/** Orders by time of issue, expiry, and a hash of the claims, so that every process decides the same. */
function asOf(issued: unknown, expires: unknown, claims: readonly unknown[]): string {
  const seconds = (value: unknown): string =>
    String(typeof value === "number" && value > 0 ? Math.min(Math.floor(value), LIMITS.integer) : 0).padStart(16, "0");
  return `${seconds(issued)}-${seconds(expires)}-${sha256(JSON.stringify(claims)).slice(0, 8)}`;
}
