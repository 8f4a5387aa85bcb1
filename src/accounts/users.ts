import { z } from "zod";
import { LIMITS } from "../contract/field-bounds.ts";
import { toIso, type Clock } from "../runtime/clock.ts";
import { createTtlCache } from "../runtime/ttl-cache.ts";
import { parseDocument, readDocument, writeDocument } from "../storage/documents.ts";
import type { Key, Storage } from "../storage/storage.ts";
import { language } from "../contract/schemas/shared-fields.ts";

/** A user's profile: what is stored about a user besides the ledger. */
export const userProfile = z.strictObject({
  user_id: z.string().min(1).max(LIMITS.userId),
  created_at: z.iso.datetime(),
  /** Free uses per day; null means the configured default. */
  free_daily_quota: z.int().min(0).nullable(),
  /** Language the user reads. */
  lang: language,
  /** The platform's token that set it, as `JwtIdentity.as_of`; absent when none did. */
  as_of: z.string().optional(),
});

export type UserProfile = z.infer<typeof userProfile>;

/** The settings of a user. */
export type UserSettings = Partial<Pick<UserProfile, "free_daily_quota" | "lang">>;

/** The users and their settings. */
export type Users = ReturnType<typeof createUsers>;

export function createUsers(deps: { storage: Storage; clock: Clock; ttl_ms: number }) {
  const { storage, clock } = deps;
  const cache = createTtlCache(deps.ttl_ms, async (user) => {
    const profile = await readDocument(storage, profileKey(user), userProfile);
    if (profile === undefined) await storage.verify(profileKey(user));
    return profile;
  });

  const newProfile = (user: string, settings: UserSettings): UserProfile => ({
    user_id: user,
    created_at: toIso(clock.now()),
    free_daily_quota: settings.free_daily_quota ?? null,
    lang: settings.lang ?? "zh",
  });

  return {
    /** The profile, at most `ttl_ms` old. */
    get: (user: string) => cache.get(user),
    /** Creates a user; false when the id exists. */
    async create(user: string, settings: UserSettings): Promise<boolean> {
      const created = await storage.create(profileKey(user), JSON.stringify(newProfile(user, settings)));
      cache.forget(user);
      return created;
    },
    /**
     * Stores the settings of a platform token: creates the user, or changes the settings unless a newer token has changed
     * them since.
     *
     * @param as_of the token's, as `JwtIdentity.as_of`
     */
    async adopt(user: string, settings: UserSettings, as_of: string): Promise<void> {
      const isNewer = (known: UserProfile): boolean => known.as_of === undefined || known.as_of < as_of;
      const known = await cache.get(user);
      if (known !== undefined && !isNewer(known)) return;
      const created = { ...newProfile(user, settings), as_of };
      if (known !== undefined || !(await storage.create(profileKey(user), JSON.stringify(created)))) {
        // Not from the cache, which may be older than another process's change.
        const now = await readDocument(storage, profileKey(user), userProfile);
        if (now === undefined || !isNewer(now)) return;
        await writeDocument(storage, profileKey(user), { ...now, ...settings, as_of });
      }
      cache.forget(user);
    },
    /** All users, in no particular order. Reads everything: for operators. */
    async *list(): AsyncGenerator<UserProfile> {
      for await (const segment of storage.children(["users"])) {
        const key: Key = ["users", segment, "profile"];
        const profile = parseDocument(key, await storage.get(key), userProfile);
        if (profile !== undefined) yield profile;
      }
    },
  };
}

/** Where a user's profile is stored. */
export function profileKey(user: string): Key {
  return ["users", user, "profile"];
}
