// Records events, acknowledging each stored one on stdout, and replays a file meanwhile; then ends, or waits to be killed.
import { createReadStream, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { createEvents } from "../../dist/events/events.js";
import { systemClock } from "../../dist/runtime/clock.js";
import { createIds } from "../../dist/runtime/ids.js";
import { silentLogger } from "../../dist/runtime/logger.js";
import { systemRandom } from "../../dist/runtime/random.js";
import { openStorage } from "../../dist/storage/open-storage.js";

const [, , folder, name, count, file] = process.argv;
const storage = await openStorage(`fs:${folder}`);
const events = createEvents({
  storage,
  clock: systemClock,
  ids: createIds(systemClock, systemRandom),
  logger: silentLogger,
});

async function record(n) {
  const user_id = `${name} ${n}`;
  const { event_id, stored } = await events.record({ user_id, event_type: "page_view" });
  if (stored) writeSync(1, `${JSON.stringify({ event_id, user_id })}\n`);
}

async function recordAll() {
  for (let n = 0; n < Number(count); n += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, k) => record(n + k)));
  }
}

await Promise.all([recordAll(), events.replay(createInterface({ input: createReadStream(file) }))]);
await events.close();
await storage.close();
