import { z } from "zod";
import { LIMITS } from "../contract/field-bounds.ts";
import { ROLES, type Role } from "../contract/roles.ts";
import { batchesOf, collect } from "../runtime/batches.ts";
import { sha256 } from "../runtime/json/canonical-json.ts";
import { toIsoOrNull, toIso, type Clock } from "../runtime/clock.ts";
import { createTtlCache } from "../runtime/cache/ttl-cache.ts";
import type { Random } from "../runtime/random.ts";
import { type Documents, verified, readDocument, readDocuments, writeDocument } from "../storage/documents.ts";
import type { Key } from "../storage/storage.ts";

/** The stored record of a token: never the token itself, only its SHA-256 (which is the document's name). */
export const tokenRecord = z.strictObject({
  id: z.string(), // The first 16 hex digits of the token's SHA-256: enough to name it, useless to log in.
  user_id: z.string(),
  label: z.string(),
  role: z.enum(ROLES).optional(), // The role of an operator's token; absent for a user's.
  start: z.string().optional(), // To find its owner by its first characters; absent for a registered secret.
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
});

export type TokenRecord = z.infer<typeof tokenRecord>;
/** A token as operators see it. */
export type TokenRow = TokenRecord & { readonly state: "active" | "expired" | "revoked" };
/** Opaque tokens of 256 bits: shown once, kept as a hash, with an expiry and a way to revoke them. */
export type Tokens = ReturnType<typeof createTokens>;
/** The label, role and expiry (ms since the epoch; undefined for never) of a new token. */
type TokenSettings = { label?: string | undefined; role?: Role; expires_at?: number | undefined };
/** How many characters of an issued token are stored as text after its prefix: 48 of its 256 bits. */
export const INDEXED_CHARACTERS = 8;
/** How many characters an issued token has after its prefix. */
export const SECRET_CHARACTERS = 43;
type TokenDeps = { storage: Documents; clock: Clock; random: Random; ttl_ms: number; prefix?: string };

export function createTokens({ prefix = "anp_", ...deps }: TokenDeps) {
  const { storage, clock, random } = deps;
  const indexedLength = prefix.length + INDEXED_CHARACTERS;
  // Unknown tokens are cached, too: each guess costs one read.
  const cache = createTtlCache(deps.ttl_ms, (secret) => lookUp(storage, sha256(secret)));

  async function add(secret: string, token: Named, expires_at?: number): Promise<TokenRecord> {
    const digest = sha256(secret);
    const dates = { created_at: toIso(clock.now()), expires_at: toIsoOrNull(expires_at) };
    const record: TokenRecord = { id: idOf(digest), ...token, ...dates, revoked_at: null };
    // The user's list comes first: a token that works is always listed.
    await storage.create(["users", token.user_id, "tokens", digest], "{}");
    await storage.create(tokenKey(digest), JSON.stringify(record));
    cache.forget(secret);
    return record;
  }

  const toRow = (record: TokenRecord): TokenRow => ({ ...record, state: stateOf(record, clock.now()) });

  const activeOf = (record: TokenRecord | undefined): TokenRecord | undefined =>
    record !== undefined && stateOf(record, clock.now()) === "active" ? record : undefined;

  async function identify(secret: string): Promise<TokenRecord | undefined> {
    return secret === "" || secret.length > LIMITS.token ? undefined : activeOf((await cache.get(secret))?.record);
  }

  return {
    /** Creates a token for a user. The secret is returned here and never again. */
    async issue(user_id: string, { label = "", role, expires_at }: TokenSettings = {}) {
      const secret = `${prefix}${random.bytes(32).toString("base64url")}`;
      const named = { user_id, label, ...(role !== undefined && { role }), start: secret.slice(0, indexedLength) };
      return { secret, record: await add(secret, named, expires_at) };
    },
    /** Registers a secret that is known beforehand, such as the demo's; an existing one is not changed. */
    register: (user_id: string, secret: string, label: string) => add(secret, { user_id, label }),
    identify, // The record of a token, or undefined when it is unknown, expired or revoked.
    /** The user of such a token; without a promise if the token is cached. */
    resolve(secret: string): string | undefined | Promise<string | undefined> {
      const known = cache.known(secret);
      return known ? activeOf(known.record)?.user_id : identify(secret).then((record) => record?.user_id);
    },
    /** A user's tokens, the oldest first. */
    async list(user: string): Promise<TokenRow[]> {
      const records = await collect(tokensBelow(storage, ["users", user, "tokens"]));
      return records.map(toRow).sort((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1));
    },
    /** The token of this id, or this token itself, also when it is expired or revoked. */
    async find(idOrSecret: string): Promise<TokenRow | undefined> {
      const digest = await findDigest(storage, idOrSecret);
      const record = digest === undefined ? undefined : await readToken(storage, digest);
      return record && toRow(record);
    },
    /** The tokens with these first characters (of the stored ones), also expired and revoked ones. For operators. */
    startingWith: (start: string) => tokensStartingWith(storage, start.slice(0, indexedLength)),
    /** Revokes by the token's id or the token itself: at once in this process, within `ttl_ms` in others.
     * @returns the revoked token, or undefined when no such token is known */
    async revoke(idOrSecret: string): Promise<TokenRow | undefined> {
      const digest = await findDigest(storage, idOrSecret);
      const record = digest === undefined ? undefined : await endToken(storage, digest, clock.now(), 0);
      cache.clear();
      return record && toRow(record);
    },
    /** Revokes active tokens of a user, or lets them expire `grace_ms` after `now`. If interrupted, some have ended.
     * @returns the tokens as they are then */
    async end(user: string, ids: readonly string[], grace_ms = 0, now = clock.now()): Promise<TokenRow[]> {
      const ended: TokenRow[] = [];
      for await (const { text: digest } of storage.children(["users", user, "tokens"])) {
        const record = ids.includes(idOf(digest)) && (await endToken(storage, digest, now, grace_ms));
        if (record) ended.push(toRow(record));
      }
      cache.clear();
      return ended;
    },
  };
}

const stateOf = ({ revoked_at, expires_at }: TokenRecord, now: number): TokenRow["state"] =>
  revoked_at !== null ? "revoked" : expires_at !== null && Date.parse(expires_at) <= now ? "expired" : "active";

type Named = Pick<TokenRecord, "user_id" | "label" | "role" | "start">;
const idOf = (digest: string): string => digest.slice(0, 16);

async function endToken(storage: Documents, digest: string, now: number, grace_ms: number) {
  const record = await readToken(storage, digest);
  if (record === undefined || record.revoked_at !== null) return record;
  const at = Math.min(now + grace_ms, record.expires_at === null ? Infinity : Date.parse(record.expires_at));
  const ended = grace_ms === 0 ? { ...record, revoked_at: toIso(now) } : { ...record, expires_at: toIso(at) };
  await writeDocument(storage, tokenKey(digest), ended);
  return ended;
}

async function* tokensBelow(storage: Documents, prefix: Key): AsyncGenerator<TokenRecord> {
  for await (const segments of batchesOf(storage.children(prefix), 256)) {
    const keys = segments.map(({ text }) => tokenKey(text));
    yield* await readDocuments(storage, keys, tokenRecord);
  }
}

const tokensStartingWith = (storage: Documents, known: string): Promise<TokenRecord[]> =>
  collect(tokensBelow(storage, ["tokens"]), ({ start }) => start?.startsWith(known) === true);

async function findDigest(storage: Documents, idOrSecret: string): Promise<string | undefined> {
  const digest = sha256(idOrSecret);
  if ((await storage.get(tokenKey(digest))) !== undefined) return digest;
  if (!/^[0-9a-f]{16}$/.test(idOrSecret)) return undefined;
  for await (const { text } of storage.children(["tokens"])) if (text.startsWith(idOrSecret)) return text;
  return undefined;
}

const readToken = (storage: Documents, digest: string) => readDocument(storage, tokenKey(digest), tokenRecord);

const lookUp = async (storage: Documents, digest: string) => ({
  record: await verified(storage, tokenKey(digest), readToken(storage, digest)),
});

/** Where a token's record is stored. @param digest its SHA-256 in hex */
export const tokenKey = (digest: string): Key => ["tokens", digest];
