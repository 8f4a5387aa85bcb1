import { z } from "zod";
import { LIMITS } from "../contract/field-bounds.ts";
import { batchesOf } from "../runtime/batches.ts";
import { sha256 } from "../runtime/canonical-json.ts";
import { toIso, type Clock } from "../runtime/clock.ts";
import { createTtlCache } from "../runtime/ttl-cache.ts";
import { BoundedLru } from "../runtime/bounded-lru.ts";
import type { Random } from "../runtime/random.ts";
import { parseDocument, readDocument, writeDocument } from "../storage/documents.ts";
import type { Key, Storage } from "../storage/storage.ts";

/** What is kept of a token: never the token itself, only its SHA-256 (which is the document's name). */
export const tokenRecord = z.strictObject({
  /** The first 16 hex digits of the token's SHA-256: enough to name it, useless to log in. */
  id: z.string(),
  user_id: z.string(),
  label: z.string(),
  /** The token's first characters, so that its owner can be found by them; absent for a registered secret. */
  start: z.string().optional(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
});

export type TokenRecord = z.infer<typeof tokenRecord>;

/** Opaque tokens of 256 bits: shown once, kept as a hash, with an expiry and a way to revoke them. */
export type Tokens = ReturnType<typeof createTokens>;

/** What a new token is for, and when it expires, ms since the epoch; undefined for never. */
type TokenSettings = { readonly label?: string | undefined; readonly expires_at?: number | undefined };

const PREFIX = "anp_";

/** How many characters of an issued token are stored as text: 48 of its 256 bits. */
const INDEXED_TOKEN_LENGTH = PREFIX.length + 8;

const BATCH = 256;

export function createTokens(deps: { storage: Storage; clock: Clock; random: Random; ttl_ms: number }) {
  const { storage, clock, random } = deps;
  const absent = createAbsentTokens(deps.ttl_ms);
  const cache = createTtlCache(deps.ttl_ms, (secret) => {
    const digest = sha256(secret);
    return absent.has(digest) ? Promise.resolve(undefined) : absent.note(digest, readPresent(storage, digest));
  });

  type Named = Pick<TokenRecord, "user_id" | "label" | "start">;
  async function add(secret: string, token: Named, expires_at?: number): Promise<TokenRecord> {
    const digest = sha256(secret);
    const record: TokenRecord = {
      id: digest.slice(0, 16),
      ...token,
      created_at: toIso(clock.now()),
      expires_at: expires_at === undefined ? null : toIso(expires_at),
      revoked_at: null,
    };
    // The user's list comes first: a token that works is always listed.
    await storage.create(["users", token.user_id, "tokens", digest], "{}");
    await storage.create(tokenKey(digest), JSON.stringify(record));
    absent.clear();
    cache.forget(secret);
    return record;
  }

  return {
    /** Creates a token for a user. The secret is returned here and never again. */
    async issue(user_id: string, { label = "", expires_at }: TokenSettings = {}) {
      const secret = `${PREFIX}${random.bytes(32).toString("base64url")}`;
      const start = secret.slice(0, INDEXED_TOKEN_LENGTH);
      return { secret, record: await add(secret, { user_id, label, start }, expires_at) };
    },
    /** Registers a secret that is known beforehand, such as the demo's; an existing one is not changed. */
    async register(user_id: string, secret: string, label: string): Promise<void> {
      await add(secret, { user_id, label });
    },
    /** The user of a token, or undefined when it is unknown, expired or revoked. */
    async resolve(secret: string): Promise<string | undefined> {
      if (secret === "" || secret.length > LIMITS.token) return undefined;
      const record = await cache.get(secret);
      if (record === undefined || record.revoked_at !== null) return undefined;
      if (record.expires_at !== null && Date.parse(record.expires_at) <= clock.now()) return undefined;
      return record.user_id;
    },
    /** All tokens of a user. */
    list: (user: string) => tokensOf(storage, user),
    /** The token of this id, or this token itself, also when it is expired or revoked. */
    async find(idOrSecret: string): Promise<TokenRecord | undefined> {
      const digest = await findDigest(storage, idOrSecret);
      return digest === undefined ? undefined : readToken(storage, digest);
    },
    /** The tokens with these first characters, as far as those are kept, also expired and revoked ones. For operators. */
    startingWith: (start: string) => tokensStartingWith(storage, start.slice(0, INDEXED_TOKEN_LENGTH)),
    /**
     * Revokes by the token's id or the token itself. It is refused at once in this process, and within `ttl_ms` in others.
     *
     * @returns the record, or undefined when no such token is known
     */
    async revoke(idOrSecret: string): Promise<TokenRecord | undefined> {
      const digest = await findDigest(storage, idOrSecret);
      if (digest === undefined) return undefined;
      const record = await readToken(storage, digest);
      if (record === undefined || record.revoked_at !== null) return record;
      const revoked = { ...record, revoked_at: toIso(clock.now()) };
      await writeDocument(storage, tokenKey(digest), revoked);
      cache.clear();
      return revoked;
    },
  };
}

/** Bound of the tokens that are kept in mind. */
const MOST_ABSENT = 10_000;

/** Tokens that were not found, by their hash, for `ttl_ms` milliseconds: a caller who guesses costs one read each. */
function createAbsentTokens(ttl_ms: number) {
  const digests = new BoundedLru<true>(MOST_ABSENT, { ttl: Math.max(1, ttl_ms), ttlResolution: 0 });
  let cleared = 0;
  return {
    has: (digest: string) => ttl_ms > 0 && digests.has(digest),
    /** Keeps in mind whether the read found nothing, unless `clear` was called meanwhile. */
    async note<T>(digest: string, read: Promise<T | undefined>): Promise<T | undefined> {
      const [began, before] = [performance.now(), cleared];
      const found = await read;
      // The age counts from the request: another process may have added the token since.
      if (found === undefined && before === cleared) digests.set(digest, true, { start: began });
      return found;
    },
    /** A token was added in this process. */
    clear() {
      cleared++;
      digests.clear();
    },
  };
}

async function tokensOf(storage: Storage, user: string): Promise<TokenRecord[]> {
  const records: TokenRecord[] = [];
  for await (const segment of storage.children(["users", user, "tokens"])) {
    const record = await readToken(storage, segment.text);
    if (record !== undefined) records.push(record);
  }
  return records.sort((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1));
}

async function tokensStartingWith(storage: Storage, start: string): Promise<TokenRecord[]> {
  const found: TokenRecord[] = [];
  for await (const segments of batchesOf(storage.children(["tokens"]), BATCH)) {
    const keys = segments.map(({ text }) => tokenKey(text));
    const texts = await storage.getMany(keys);
    for (const [index, key] of keys.entries()) {
      const record = parseDocument(key, texts[index], tokenRecord);
      if (record?.start?.startsWith(start) === true) found.push(record);
    }
  }
  return found;
}

/** The SHA-256 of a stored token, by the token itself or by its id. */
async function findDigest(storage: Storage, idOrSecret: string): Promise<string | undefined> {
  const digest = sha256(idOrSecret);
  if ((await storage.get(tokenKey(digest))) !== undefined) return digest;
  if (!/^[0-9a-f]{16}$/.test(idOrSecret)) return undefined;
  for await (const segment of storage.children(["tokens"])) {
    if (segment.text.startsWith(idOrSecret)) return segment.text;
  }
  return undefined;
}

/** As `readToken`; on an emptied storage no token is known, and to refuse one there would log its user out. */
async function readPresent(storage: Storage, digest: string): Promise<TokenRecord | undefined> {
  const record = await readToken(storage, digest);
  if (record === undefined) await storage.verify(tokenKey(digest));
  return record;
}

function readToken(storage: Storage, digest: string): Promise<TokenRecord | undefined> {
  return readDocument(storage, tokenKey(digest), tokenRecord);
}

function tokenKey(digest: string): Key {
  return ["tokens", digest];
}
