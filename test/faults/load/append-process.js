// Appends one entry to a user's ledger and prints it with the steps that it took; killed before a step that it is told.
import { createQuotaRules } from "../../../dist/accounts/quota-rules.js";
import { createLedger } from "../../../dist/ledger/ledger.js";
import { systemClock } from "../../../dist/runtime/clock.js";
import { openStorage } from "../../../dist/storage/open-storage.js";
import { stoppable } from "./stop-at-step.js";

const [, , url, user, key, stop] = process.argv;
const stops = stoppable(await openStorage(url));
const ledger = createLedger({ storage: stops.storage, clock: systemClock, quotaRules: createQuotaRules("+08:00") });
stops.arm(JSON.parse(stop));
const { entry } = await ledger.post(user, {
  operation: { id: `key:${key}`, request: { key }, origin: { in: "header", path: "Idempotency-Key" } },
  command: { type: "adjust", delta: 1, reason: "step", actor: "bench" },
  ref_id: key,
  lang: "en",
});
// A step of its own: the entry is there, and nobody has been told.
stops.reached("answer");
console.log(JSON.stringify({ entry, steps: stops.steps() }));
await ledger.settled();
await stops.storage.close();
