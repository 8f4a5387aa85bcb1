import { createHash } from "node:crypto";
import { z } from "zod";
import { LIMITS } from "../contract/limits.ts";
import { toIso, type Clock } from "../runtime/clock.ts";
import { createTtlCache } from "../runtime/ttl-cache.ts";
import type { Random } from "../runtime/random.ts";
import { parseDocument, readDocument, writeDocument } from "../storage/documents.ts";
import type { Key, Storage } from "../storage/storage.ts";

/** What is kept of a token: never the token itself, only its SHA-256 (which is the document's name). */
export const tokenRecord = z.strictObject({
  /** The first 16 hex digits of the token's SHA-256: enough to name it, useless to log in. */
  id: z.string(),
  user_id: z.string(),
  label: z.string(),
  /** What the token begins with, so that somebody who sees it can be told whose it is; absent where it is too short. */
  start: z.string().optional(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
});

export type TokenRecord = z.infer<typeof tokenRecord>;

/** Opaque tokens of 256 bits: shown once, kept as a hash, with an expiry and a way to revoke them. */
export interface Tokens {
  /** Makes a token for a user. The secret is given here and never again. */
  issue(
    user: string,
    options?: { expires_at?: number; label?: string },
  ): Promise<{ secret: string; record: TokenRecord }>;
  /** Registers a secret that is known beforehand, as the demo's; nothing happens when it is registered. */
  register(user: string, secret: string, label: string): Promise<void>;
  /** The user a token stands for, or undefined when it is unknown, expired or revoked. */
  resolve(secret: string): Promise<string | undefined>;
  /** All tokens of a user. */
  list(user: string): Promise<TokenRecord[]>;
  /** The token of this id, or this token itself, also when it is expired or revoked. */
  find(idOrSecret: string): Promise<TokenRecord | undefined>;
  /**
   * The tokens that begin like this, also those expired or revoked. Only the first {@link TOKEN_START} characters are
   * known, and compared. It reads all tokens: for operators.
   */
  startingWith(start: string): Promise<TokenRecord[]>;
  /**
   * Revokes by the token's id or the token itself. It is refused at once in this process, and within `ttl_ms` in others.
   *
   * @returns the record, or undefined when no such token is known
   */
  revoke(idOrSecret: string): Promise<TokenRecord | undefined>;
}

const PREFIX = "anp_";

/** How much of an issued token is kept to be read: of its 256 bits, 48. */
export const TOKEN_START: number = PREFIX.length + 8;

const BATCH = 256;

export function createTokens(deps: { storage: Storage; clock: Clock; random: Random; ttl_ms: number }): Tokens {
  const { storage, clock, random } = deps;
  const cache = createTtlCache(deps.ttl_ms, (secret) => readDocument(storage, tokenKey(digestOf(secret)), tokenRecord));

  async function add(
    user: string,
    secret: string,
    label: string,
    options: { readonly expires_at?: number; readonly start?: string } = {},
  ): Promise<TokenRecord> {
    const { expires_at, start } = options;
    const digest = digestOf(secret);
    const record: TokenRecord = {
      id: digest.slice(0, 16),
      user_id: user,
      label,
      ...(start !== undefined && { start }),
      created_at: toIso(clock.now()),
      expires_at: expires_at === undefined ? null : toIso(expires_at),
      revoked_at: null,
    };
    // The user's list comes first: a token that works is always listed.
    await storage.create(["users", user, "tokens", digest], "{}");
    await storage.create(tokenKey(digest), JSON.stringify(record));
    cache.forget(secret);
    return record;
  }

  async function digestNamed(idOrSecret: string): Promise<string | undefined> {
    const digest = digestOf(idOrSecret);
    if ((await storage.get(tokenKey(digest))) !== undefined) return digest;
    if (!/^[0-9a-f]{16}$/.test(idOrSecret)) return undefined;
    for await (const segment of storage.children(["tokens"])) {
      if (segment.text.startsWith(idOrSecret)) return segment.text;
    }
    return undefined;
  }

  return {
    async issue(user, options = {}) {
      const secret = `${PREFIX}${random.bytes(32).toString("base64url")}`;
      const { label = "", expires_at } = options;
      const start = secret.slice(0, TOKEN_START);
      return {
        secret,
        record: await add(user, secret, label, { start, ...(expires_at !== undefined && { expires_at }) }),
      };
    },
    async register(user, secret, label) {
      await add(user, secret, label);
    },
    async resolve(secret) {
      if (secret === "" || secret.length > LIMITS.token) return undefined;
      const record = await cache.get(secret);
      if (record === undefined || record.revoked_at !== null) return undefined;
      if (record.expires_at !== null && Date.parse(record.expires_at) <= clock.now()) return undefined;
      return record.user_id;
    },
    async list(user) {
      const records: TokenRecord[] = [];
      for await (const segment of storage.children(["users", user, "tokens"])) {
        const record = await readDocument(storage, tokenKey(segment.text), tokenRecord);
        if (record !== undefined) records.push(record);
      }
      return records.sort((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1));
    },
    async find(idOrSecret) {
      const digest = await digestNamed(idOrSecret);
      return digest === undefined ? undefined : readDocument(storage, tokenKey(digest), tokenRecord);
    },
    async startingWith(start) {
      const known = start.slice(0, TOKEN_START);
      const found: TokenRecord[] = [];
      let keys: Key[] = [];
      const read = async (): Promise<void> => {
        const texts = await storage.getMany(keys);
        for (const [index, key] of keys.entries()) {
          const record = parseDocument(key, texts[index], tokenRecord);
          if (record?.start?.startsWith(known) === true) found.push(record);
        }
        keys = [];
      };
      for await (const segment of storage.children(["tokens"])) {
        keys.push(tokenKey(segment.text));
        if (keys.length >= BATCH) await read();
      }
      await read();
      return found;
    },
    async revoke(idOrSecret) {
      const digest = await digestNamed(idOrSecret);
      if (digest === undefined) return undefined;
      const record = await readDocument(storage, tokenKey(digest), tokenRecord);
      if (record === undefined || record.revoked_at !== null) return record;
      const revoked = { ...record, revoked_at: toIso(clock.now()) };
      await writeDocument(storage, tokenKey(digest), revoked);
      cache.clear();
      return revoked;
    },
  };
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

function tokenKey(digest: string): Key {
  return ["tokens", digest];
}
