import type { JwtConfig } from "../config/jwt-config.ts";
import { LIMITS } from "../contract/limits.ts";
import { codePoints, isPortable, type Language } from "../contract/schemas/shared-fields.ts";
import { sha256 } from "../runtime/canonical-json.ts";
import type { Clock } from "../runtime/clock.ts";

/** What a valid platform token says of its user. */
export interface JwtIdentity {
  readonly user_id: string;
  /** Milliseconds since the epoch: from then on the token is not valid. */
  readonly expires_at: number;
  /** Orders what tokens say: of two, what the one with the greater text says is newer. */
  readonly as_of: string;
  readonly free_daily_quota?: number;
  readonly plan?: string;
  readonly lang?: Language;
}

/** What jose throws when the key set does not come, comes with another status than 200, or is none. */
const KEY_SET_FAULTS: ReadonlySet<string> = new Set(["ERR_JWKS_TIMEOUT", "ERR_JOSE_GENERIC", "ERR_JWKS_INVALID"]);

/** Checks a compact JWS; undefined when it is not valid now. Needs an expiry: a token for ever is refused. */
export type JwtVerifier = (token: string) => Promise<JwtIdentity | undefined>;

export async function createJwtVerifier(config: JwtConfig, clock: Clock): Promise<JwtVerifier> {
  const { jwtVerify, createRemoteJWKSet, errors } = await import("jose");
  const options = {
    ...(config.issuer === undefined ? {} : { issuer: config.issuer }),
    ...(config.audience === undefined ? {} : { audience: config.audience }),
    requiredClaims: ["exp", config.claims.user_id],
  };
  const secret = config.secret === undefined ? undefined : new TextEncoder().encode(config.secret);
  const keys = config.jwks_url === undefined ? undefined : createRemoteJWKSet(new URL(config.jwks_url));

  return async (token) => {
    if (token.split(".").length !== 3) return undefined;
    const current = { ...options, currentDate: new Date(clock.now()) };
    try {
      const { payload } =
        secret !== undefined
          ? await jwtVerify(token, secret, { ...current, algorithms: ["HS256"] })
          : await jwtVerify(token, keys!, current);
      return identityOf(payload, config);
    } catch (error) {
      // A key set that cannot be had is the operator's problem, not the user's: it must not look like a bad token.
      if (error instanceof errors.JOSEError && !KEY_SET_FAULTS.has(error.code)) return undefined;
      throw error;
    }
  };
}

function identityOf(payload: Record<string, unknown>, config: JwtConfig): JwtIdentity | undefined {
  const { claims } = config;
  const user = payload[claims.user_id];
  // A number that JSON cannot carry exactly may be another user's.
  if (typeof user !== "string" && !Number.isSafeInteger(user)) return undefined;
  const user_id = String(user);
  if (user_id === "" || codePoints(user_id) > LIMITS.userId || !isPortable(user_id)) return undefined;
  const quota = payload[claims.free_daily_quota];
  const plan = payload[claims.plan];
  const lang = payload[claims.lang];
  return {
    user_id,
    expires_at: Number(payload["exp"]) * 1000,
    as_of: asOf(payload["iat"], payload["exp"], [quota, plan, lang]),
    ...(typeof quota === "number" && Number.isSafeInteger(quota) && quota >= 0 ? { free_daily_quota: quota } : {}),
    ...(typeof plan === "string" ? { plan } : {}),
    ...(lang === "zh" || lang === "en" ? { lang } : {}),
  };
}

/** By time of issue, then by expiry; where both are equal, the content decides, so that every process decides alike. */
function asOf(issued: unknown, expires: unknown, said: readonly unknown[]): string {
  const seconds = (value: unknown): string => {
    const whole = typeof value === "number" && value > 0 ? Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER) : 0;
    return String(whole).padStart(16, "0");
  };
  return `${seconds(issued)}-${seconds(expires)}-${sha256(JSON.stringify(said)).slice(0, 8)}`;
}
