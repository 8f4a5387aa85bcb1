import { z } from "zod";
import { toIsoOrNull, toIso, type Clock } from "../runtime/clock.ts";
import { createTtlCache } from "../runtime/cache/ttl-cache.ts";
import { readDocument, writeDocument } from "../storage/documents.ts";
import type { Key, Storage } from "../storage/storage.ts";
import type { subscription } from "../contract/schemas/points-schemas.ts";
import { isNewer } from "./users.ts";

const FREE_PLAN = "free";

/** A user's plan and period, as they are stored. */
export const storedSubscription = z.strictObject({
  plan: z.string(),
  started_at: z.iso.datetime().nullable(),
  expires_at: z.iso.datetime().nullable(),
  as_of: z.string().optional(), // Version of the token that set it, as `JwtIdentity.as_of`; absent if an operator did.
});

type Stored = z.infer<typeof storedSubscription>;
/** A user's subscription, in the fields of the interface. */
export type Subscription = z.infer<typeof subscription>;

type Plans = Readonly<Record<string, Readonly<Record<string, boolean>>>>; // By plan, whether each feature is on.

export type Subscriptions = ReturnType<typeof createSubscriptions>;

export function createSubscriptions(deps: { storage: Storage; clock: Clock; plans: Plans; ttl_ms: number }) {
  const { storage, clock, plans } = deps;
  const read = async (user: string) => (await readDocument(storage, subscriptionKey(user), storedSubscription)) ?? NONE;
  const cache = createTtlCache(deps.ttl_ms, read);
  const current = (held: Stored): Subscription => subscriptionAt(held, plans, clock.now());

  return {
    /** The subscription at the present instant, at most `ttl_ms` stale. */
    get: async (user: string): Promise<Subscription> => current((await cache.get(user)) ?? NONE),
    /** Sets the plan and its expiry, ms since the epoch; none when left out. The plan that is active keeps its start. */
    async setPlan(user: string, plan: string, expires_at?: number): Promise<void> {
      const held = current(await read(user));
      const start = held.plan === plan && held.is_active ? held.started_at : null;
      const started_at = start === null ? clock.now() : Date.parse(start);
      await writeDocument(storage, subscriptionKey(user), toStored(plan, started_at, expires_at));
      cache.forget(user);
    },
    /** Starts the plan of a user who has had none yet; false, without a change, for any other. */
    async begin(user: string, plan: string): Promise<boolean> {
      const begun = await storage.create(subscriptionKey(user), JSON.stringify(toStored(plan, clock.now())));
      cache.forget(user);
      return begun;
    },
    /** Sets a platform token's plan, unless a newer one (by `as_of`) did. An active subscription keeps its period. */
    async adopt(user: string, plan: string, as_of: string): Promise<void> {
      if (!isNewer((await cache.get(user)) ?? NONE, as_of)) return;
      const held = await read(user); // Not from the cache, which may be older than another process's change.
      if (!isNewer(held, as_of)) return;
      const keepsPeriod = held.plan === plan && (plan === FREE_PLAN || current(held).is_active);
      const wanted = keepsPeriod ? held : toStored(plan, clock.now());
      await writeDocument(storage, subscriptionKey(user), { ...wanted, as_of });
      cache.forget(user);
    },
  };
}

/** @param started_at ms since the epoch, as `expires_at` */
function toStored(plan: string, started_at: number, expires_at?: number): Stored {
  return plan === FREE_PLAN ? NONE : { plan, started_at: toIso(started_at), expires_at: toIsoOrNull(expires_at) };
}

const NONE: Stored = { plan: FREE_PLAN, started_at: null, expires_at: null };

/** A plan is active from its start to its expiry; outside of that, and on the free plan, no feature is on. */
function subscriptionAt({ plan, started_at, expires_at }: Stored, plans: Plans, now: number): Subscription {
  const begun = started_at === null || Date.parse(started_at) <= now;
  const over = expires_at !== null && Date.parse(expires_at) <= now;
  const status = plan === FREE_PLAN || !begun ? "free" : over ? "expired" : "active";
  const is_active = status === "active";
  const all = Object.keys(plans[plan] ?? plans[FREE_PLAN] ?? {});
  const features = Object.fromEntries(all.map((name) => [name, is_active && plans[plan]?.[name] === true]));
  return { status, plan, started_at, expires_at, features, is_active };
}

export const subscriptionKey = (user: string): Key => ["users", user, "subscription"];
