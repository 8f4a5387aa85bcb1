import { z } from "zod";
import { LIMITS } from "../contract/limits.ts";
import { toIso, type Clock } from "../runtime/clock.ts";
import { createFreshCache } from "../runtime/fresh.ts";
import { parseDocument, readDocument, writeDocument } from "../storage/documents.ts";
import type { Key, Storage } from "../storage/storage.ts";

/** What the service knows of a user beside the ledger. */
export const userProfile = z.strictObject({
  user_id: z.string().min(1).max(LIMITS.userId),
  created_at: z.iso.datetime(),
  /** Free uses a day; null takes the configured default. */
  free_daily_quota: z.int().min(0).nullable(),
  /** Language the user reads. */
  lang: z.enum(["zh", "en"]),
});

export type UserProfile = z.infer<typeof userProfile>;

/** What can be set of a user. */
export type UserSettings = Partial<Pick<UserProfile, "free_daily_quota" | "lang">>;

export interface Users {
  /** The profile, at most `ttl_ms` old. */
  get(user: string): Promise<UserProfile | undefined>;
  /** Creates a user; false when there is one of that id. */
  create(user: string, settings: UserSettings): Promise<boolean>;
  /** Creates the user or changes the settings that differ. */
  ensure(user: string, settings: UserSettings): Promise<void>;
  /** All users, in no particular order. Reads everything: for operators. */
  list(): AsyncIterable<UserProfile>;
}

export function createUsers(deps: { storage: Storage; clock: Clock; ttl_ms: number }): Users {
  const { storage, clock } = deps;
  const cache = createFreshCache(deps.ttl_ms, (user) => readDocument(storage, profileKey(user), userProfile));

  const fresh = (user: string, settings: UserSettings): UserProfile => ({
    user_id: user,
    created_at: toIso(clock.now()),
    free_daily_quota: settings.free_daily_quota ?? null,
    lang: settings.lang ?? "zh",
  });

  const users: Users = {
    get: (user) => cache.get(user),
    async create(user, settings) {
      const created = await storage.create(profileKey(user), JSON.stringify(fresh(user, settings)));
      cache.forget(user);
      return created;
    },
    async ensure(user, settings) {
      const known = await cache.get(user);
      if (known === undefined) {
        return (await users.create(user, settings)) ? undefined : users.ensure(user, settings);
      }
      const wanted: UserProfile = {
        ...known,
        free_daily_quota: settings.free_daily_quota ?? known.free_daily_quota,
        lang: settings.lang ?? known.lang,
      };
      if (wanted.free_daily_quota === known.free_daily_quota && wanted.lang === known.lang) return;
      await writeDocument(storage, profileKey(user), wanted);
      cache.forget(user);
    },
    async *list() {
      for await (const segment of storage.children(["users"])) {
        const key: Key = ["users", segment, "profile"];
        const profile = parseDocument(key, await storage.get(key), userProfile);
        if (profile !== undefined) yield profile;
      }
    },
  };
  return users;
}

function profileKey(user: string): Key {
  return ["users", user, "profile"];
}
