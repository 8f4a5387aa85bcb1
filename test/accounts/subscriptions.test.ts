import { expect, it } from "vitest";
import { createSubscriptions } from "../../src/accounts/subscriptions.ts";
import { openStorage } from "../../src/storage/open-storage.ts";

const START = Date.parse("2026-11-20T00:00:00Z");
const DAY = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();

it("keeps the start of an active plan, and starts a lapsed or another plan anew", async () => {
  let now = START;
  const clock = { now: () => now };
  const storage = await openStorage("memory:");
  const plans = { free: {}, pro: { memory: true }, team: { memory: true } };
  const subscriptions = createSubscriptions({ storage, clock, plans, ttl_ms: 0 });
  const set = async (at: number, plan: string, expires_at?: number) => {
    now = at;
    await subscriptions.setPlan("alice", plan, expires_at);
    return subscriptions.get("alice");
  };
  const started = (ms: number) => ({ started_at: iso(ms) });
  expect(await set(START, "pro", START + 2 * DAY)).toMatchObject(started(START));
  expect(await set(START + DAY, "pro", START + 3 * DAY)).toMatchObject({
    ...started(START),
    expires_at: iso(START + 3 * DAY),
  });
  expect(await set(START + 4 * DAY, "pro")).toMatchObject({ ...started(START + 4 * DAY), expires_at: null });
  expect(await set(START + 5 * DAY, "team")).toMatchObject(started(START + 5 * DAY));
});
