import { expect, it } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { createLedger, type Ledger } from "../../src/ledger/ledger.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { openStorage } from "../../src/storage/open-storage.ts";

async function openLedger(): Promise<Ledger> {
  const clock = fixedClock(Date.parse("2026-11-20T00:00:00Z"));
  return createLedger({ storage: await openStorage("memory:"), clock, quotaRules: createQuotaRules("+08:00") });
}

const post = (ledger: Ledger, id: string) =>
  ledger.post("bob", {
    operation: { id, request: {}, origin: { in: "body", path: "ref_id" } },
    command: { type: "adjust", delta: 1, reason: "test", actor: "op" },
    ref_id: id,
    lang: "en",
  });

it("takes in no operation that the next writer could not index", async () => {
  const ledger = await openLedger();
  for (const id of ["reward:a\0b", "reward:\ud800"]) await expect(post(ledger, id)).rejects.toThrow(TypeError);
  expect(await ledger.open("bob")).toMatchObject({ version: 0 });
  await post(ledger, "reward:1");
  expect((await post(ledger, "reward:2")).entry.id).toBe(2);
});
