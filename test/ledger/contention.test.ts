import { expect, it } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { entryKey } from "../../src/ledger/entry.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import { verifyLedger } from "../support/verify-ledger.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { printKey } from "../../src/storage/documents.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { openLedger } from "../support/ledgers.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";

function posting(key: string) {
  return {
    operation: { id: `key:${key}`, request: key, origin: { in: "header", path: "Idempotency-Key" } as const },
    command: { type: "adjust", delta: 1, reason: "r", actor: "test" } as const,
    ref_id: key,
    lang: "en" as const,
  };
}

it("gives up with 503 and nothing done where another process always appends first, and goes on when it pauses", async () => {
  const plain = await openStorage("memory:");
  const other = openLedger(plain);
  let pushes = true;
  let others = 0;
  const storage = interceptStorage(plain, async (verb, key, run) => {
    if (pushes && verb === "create" && printKey(key).includes("/ledger"))
      await other.post("alice", posting(`other-${others++}`));
    return run();
  });
  let now = 0;
  const clock = fixedClock(Date.parse("2026-11-20T00:00:00Z"));
  const monotonic = (): number => (now += 1500);
  const ledger = createLedger({ storage, clock, quotaRules: createQuotaRules("+08:00"), monotonic });

  const waiting = [ledger.post("alice", posting("mine")), ledger.post("alice", posting("next"))];
  const [mine, next] = await Promise.allSettled(waiting);
  for (const refused of [mine, next]) expect(refused).toMatchObject({ status: "rejected", reason: { code: 503 } });
  expect(now).toBeLessThan(39_000);
  // The second one waited for the first, and tried once.
  expect(others).toBeGreaterThan(10);
  expect(others).toBeLessThan(25);
  expect((await other.open("alice")).version).toBe(others);

  pushes = false;
  expect(await ledger.post("alice", posting("mine"))).toMatchObject({ replayed: false, entry: { id: others + 1 } });
  expect(await ledger.post("alice", posting("mine"))).toMatchObject({ replayed: true, entry: { id: others + 1 } });
  expect((await verifyLedger(plain, "alice")).damage).toBeUndefined();
  expect((await other.open("alice")).account.balance).toBe(others + 1);
});

it("indexes an operation whose entry was lost when that was tried, and made again by another process since", async () => {
  const plain = await openStorage("memory:");
  let losses = 0;
  const storage = interceptStorage(plain, async (verb, key, run) => {
    if (losses > 0 || verb !== "create" || !printKey(key).includes("/operations/")) return run();
    losses += 1;
    const place = entryKey("alice", 1);
    const text = (await plain.get(place))!;
    await plain.remove(place);
    const outcome = await run();
    await plain.put(place, text);
    return outcome;
  });
  const ledger = openLedger(storage);
  await ledger.post("alice", posting("first"));
  expect(await ledger.post("alice", posting("second"))).toMatchObject({ replayed: false, entry: { id: 2 } });
  expect(losses).toBe(1);
  expect((await verifyLedger(plain, "alice")).damage).toBeUndefined();
  expect(await openLedger(plain).post("alice", posting("first"))).toMatchObject({ replayed: true, entry: { id: 1 } });
});
