// Runs the service on a storage and answers requests that come over the IPC channel, until it is asked to end or killed.
import { loadConfig } from "../../../dist/config/load-config.js";
import { createService } from "../../../dist/service/service.js";
import { systemRandom } from "../../../dist/runtime/random.js";
import { openStorage } from "../../../dist/storage/open-storage.js";
import { askService } from "./ask-service.js";
import { stoppable } from "./stop-at-step.js";

const [, , url, flags] = process.argv;
let skew = 0;
const clock = { now: () => Date.now() + skew };
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const stops = stoppable(await openStorage(url));
const { config, baseDir } = await loadConfig({ env: {}, flags: JSON.parse(flags) });
const service = await createService({ config, baseDir, storage: stops.storage, clock, random: systemRandom, logger });

const now = () => Number(process.hrtime.bigint());

process.on("message", async ({ number, asked, skew_ms, stop }) => {
  if (skew_ms !== undefined) skew = skew_ms;
  if (stop !== undefined) stops.arm(stop);
  if (asked === undefined) return process.send({ number });
  const [from, clockFrom] = [now(), clock.now()];
  const reply = await askService(service, asked);
  // What follows the reply has its steps, too.
  if (stop !== undefined) await service.settled();
  const span = { from, to: now(), clock: [clockFrom, clock.now()] };
  process.send({ number, answer: reply, span, ...(stop === undefined ? {} : { steps: stops.steps() }) });
});
process.on("disconnect", () => process.exit());
process.on("SIGTERM", async () => {
  await service.close();
  process.exit();
});
process.send({ ready: true });
