import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { createSubscriptions } from "../../src/accounts/subscriptions.ts";
import { createUsers } from "../../src/accounts/users.ts";
import { createTokens } from "../../src/accounts/tokens.ts";
import type { LedgerCommand } from "../../src/ledger/points-rules.ts";
import { createLedger, type Ledger } from "../../src/ledger/ledger.ts";
import type { PostResult } from "../../src/ledger/user-ledger.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { createIds } from "../../src/runtime/ids.ts";
import { seededRandom } from "../../src/runtime/random.ts";
import { createMessages, type Message } from "../../src/assistant/sessions/messages.ts";
import type { NewValue, Storage } from "../../src/storage/storage.ts";

const START = Date.parse("2026-11-20T00:00:00Z");

/** Users whose ids a storage serializes in three different ways. */
export const USERS = ["alice", "Ümit/1", "x".repeat(100)] as const;

export function openLedger(storage: Storage): Ledger {
  return createLedger({ storage, clock: fixedClock(START), quotaRules: createQuotaRules("+08:00") });
}

/** Posts an operation with an idempotency key. */
export function post(storage: Storage, user: string, key: string, command?: LedgerCommand): Promise<PostResult> {
  return openLedger(storage).post(user, {
    operation: { id: `key:${key}`, request: key, origin: { in: "header", path: "Idempotency-Key" } },
    command: command ?? { type: "adjust", delta: 1, reason: "r", actor: "test" },
    ref_id: key,
    lang: "zh",
  });
}

/** Fills a storage with users who have a token, a plan, answers in a session, and `entries` entries each. */
export async function fillLedgers(storage: Storage, entries: number): Promise<void> {
  const clock = fixedClock(START);
  const random = seededRandom("ledgers");
  const ids = createIds(clock, random);
  const messages = createMessages({ storage, clock, ids });
  for (const user of USERS) {
    await createUsers({ storage, clock, ttl_ms: 0 }).create(user, { free_daily_quota: 7 });
    await createTokens({ storage, clock, random, ttl_ms: 0 }).register(user, `${user} token`, "test");
    const subscriptions = createSubscriptions({ storage, clock, plans: {}, ttl_ms: 0 });
    await subscriptions.setPlan(user, "pro");
    for (let n = 1; n <= entries; n++) {
      if (n % 3 !== 0) {
        await post(storage, user, `${n}`);
        continue;
      }
      const draft = {
        answer: "a",
        route: "help",
        sub_intent: "fees",
        source_items: [],
        model_name: "m",
        latency_ms: 1,
      };
      const message = await messages.create(
        { ...draft, user_id: user, question: `第 ${n} 问` },
        undefined,
        storedIn(storage),
      );
      const { message_id, session_id } = message;
      const cost = { type: "chat_cost", cost: 1, quota: 2, route: "help", sub_intent: "fees" } as const;
      await post(storage, user, `${n}`, { ...cost, message_id, session_id });
      await messages.join(message);
    }
  }
}

/** Stores an answer without its charge. */
export const storedIn =
  (storage: Storage) =>
  async (made: Message, { key, value }: NewValue) =>
    (await storage.create(key, value)) ? made : undefined;

/** All that a storage holds, by key. */
export async function allOf(storage: Storage): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for await (const key of storage.keys([])) {
    const text = await storage.get(key);
    if (text !== undefined) all.set(key.map((segment) => segment.text).join("/"), text);
  }
  return new Map([...all].sort(([one], [other]) => (one < other ? -1 : 1)));
}
