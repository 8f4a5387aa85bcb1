import { z } from "zod";
import { AnpError } from "../contract/errors.ts";
import { LIMITS } from "../contract/field-bounds.ts";
import { toIso, type Clock } from "../runtime/clock.ts";
import { createTtlCache } from "../runtime/cache/ttl-cache.ts";
import { batchesOf } from "../runtime/batches.ts";
import { checkDocument, verified, printKey, readOrDamage, type Skip, writeDocument } from "../storage/documents.ts";
import { decodeSegment, encodeKey } from "../storage/keys.ts";
import { catchDamage, CorruptionError, EncodedSegment, type Key, type Storage } from "../storage/storage.ts";
import { language } from "../contract/schemas/shared-fields.ts";

/** When, by whom and why a user's data were erased; `complete` once only the ledger is left. */
const erasure = z.strictObject({ at: z.iso.datetime(), actor: z.string(), reason: z.string(), complete: z.boolean() });

/** A user's profile: the user's settings, stored outside the ledger. */
export const userProfile = z.strictObject({
  user_id: z.string().min(1).max(LIMITS.userId),
  created_at: z.iso.datetime(),
  free_daily_quota: z.int().min(0).nullable(), // Free uses per day; null means the configured default.
  lang: language,
  as_of: z.string().optional(), // Version of the token that set it, as `JwtIdentity.as_of`; absent if none did.
  erased: erasure.optional(),
});

export type UserProfile = z.infer<typeof userProfile>;
type UserSettings = Partial<Pick<UserProfile, "free_daily_quota" | "lang">>;
type NewSettings = { readonly [K in keyof UserSettings]: UserSettings[K] | undefined };
/** Called for each user with damaged data, with the name and the first damage. */
export type OnDamage = (message: string) => void;
export type Users = ReturnType<typeof createUsers>;

export function createUsers(deps: { storage: Storage; clock: Clock; ttl_ms: number }) {
  const { storage, clock } = deps;
  const cache = createTtlCache(deps.ttl_ms, (user) => verified(storage, profileKey(user), readProfile(storage, user)));
  const refusals = createTtlCache(deps.ttl_ms, async (user) => {
    const found = await catchDamage(readProfile(storage, user), ({ message }) => message); // Perhaps of an erased one.
    return { reason: typeof found === "string" ? found : found?.erased && erasureOf(found) };
  });

  const newProfile = (user_id: string, { free_daily_quota = null, lang = "zh" }: NewSettings): UserProfile => {
    return { user_id, created_at: toIso(clock.now()), free_daily_quota, lang };
  };

  return {
    get: (user: string) => cache.get(user), // The profile, at most `ttl_ms` old.
    known: (user: string) => cache.known(user), // The same from the cache, without a promise.
    /** Why nothing may be stored about a user, at most `ttl_ms` old: an erasure waits as long before it removes events. */
    refusalOf: async (user: string) => (await refusals.get(user))?.reason,
    /** Creates a user; false when the id exists. */
    async create(user: string, settings: NewSettings): Promise<boolean> {
      const created = await storage.create(profileKey(user), JSON.stringify(newProfile(user, settings)));
      cache.forget(user);
      return created;
    },
    /** Stores a platform token's settings, unless a newer one (by `as_of`) did; creates the user if there is none.
     * @throws AnpError 401 for an erased user */
    async adopt(user: string, settings: UserSettings, as_of: string): Promise<void> {
      const known = await cache.get(user);
      if (known !== undefined) refuseErased(known);
      if (known !== undefined && !isNewer(known, as_of)) return;
      const created = { ...newProfile(user, settings), as_of };
      if (known !== undefined || !(await storage.create(profileKey(user), JSON.stringify(created)))) {
        // Not from the cache, which may be older than another process's change.
        const now = await readProfile(storage, user);
        if (now === undefined || now.erased !== undefined || !isNewer(now, as_of)) return;
        await writeDocument(storage, profileKey(user), { ...now, ...settings, as_of });
      }
      cache.forget(user);
    },
    /** Replaces the profile, except its creation time, by the record of its erasure. */
    async erase(
      { user_id, created_at }: Pick<UserProfile, "user_id" | "created_at">,
      erased: NonNullable<UserProfile["erased"]>,
    ): Promise<void> {
      await writeDocument(storage, profileKey(user_id), { ...newProfile(user_id, {}), created_at, erased });
      cache.forget(user_id);
    },
    /** All users, in no particular order. Reads everything: for operators. */
    async *list(onDamage: OnDamage): AsyncGenerator<UserProfile> {
      const skip = skipUsers(onDamage);
      for await (const keys of batchesOf(storage.keys(["users"], "profile"), 256))
        yield* await readProfiles(storage, keys, skip);
    },
    /** The ids of all users, in no particular order: for operators. Only ids that are not in the keys are read. */
    async *ids(skip: Skip): AsyncGenerator<string> {
      for await (const key of storage.keys(["users"], "profile")) {
        const id = decodeSegment(key[1]!);
        if (id !== undefined) yield id;
        else for (const { user_id } of await readProfiles(storage, [key], skip)) yield user_id;
      }
    },
  };
}

/** Reads a user's profile. @throws CorruptionError if it is damaged, or another user's */
export async function readProfile(storage: Storage, user: string): Promise<UserProfile | undefined> {
  const found = checkProfile(profileKey(user), await storage.get(profileKey(user)));
  if (found instanceof CorruptionError) throw found;
  return found;
}

async function readProfiles(storage: Storage, keys: readonly Key[], skip: Skip): Promise<UserProfile[]> {
  const texts = await readOrDamage(storage, keys);
  return keys.flatMap((key, index) => {
    const found = checkProfile(key, texts[index]);
    return found instanceof CorruptionError ? skip(found) : (found ?? []);
  });
}

/** The profile of a stored text, or its damage. Another user's profile under the key is damage too. */
export function checkProfile(key: Key, text: string | undefined | CorruptionError) {
  const found = checkDocument(key, text, userProfile);
  if (found === undefined || found instanceof CorruptionError) return found;
  if (encodeKey(profileKey(found.user_id)) === encodeKey(key)) return found;
  return new CorruptionError(printKey(key), `it is the profile of ${found.user_id}`);
}

/** Skips damaged values, and reports the first one of each user. */
export function skipUsers(onDamage: OnDamage): Skip {
  const reported = new Set<string>();
  return ({ key, message }) => {
    const user = new EncodedSegment(key.split("/")[1]!);
    if (!reported.has(user.text)) onDamage(`${decodeSegment(user) ?? user.text}: ${message}`);
    reported.add(user.text);
    return [];
  };
}

/** Whether a platform token is newer than the one that set the stored value. @param as_of as `JwtIdentity.as_of` */
export const isNewer = (held: { readonly as_of?: string | undefined }, as_of: string): boolean =>
  held.as_of === undefined || held.as_of < as_of;

/** @throws AnpError 401 for an erased user, of whom only the ledger is kept: operators may still correct it */
export function refuseErased(profile: UserProfile): void {
  if (profile.erased !== undefined) throw new AnpError(401, erasureOf(profile));
}

const erasureOf = ({ user_id, erased }: UserProfile): string =>
  `${user_id} was erased on ${erased?.at}: only the ledger is kept.`;

export const profileKey = (user: string | EncodedSegment): Key => ["users", user, "profile"];
