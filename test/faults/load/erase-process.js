// Erases a user, or prunes, once it is told to over the IPC channel.
import { eraseUser } from "../../../dist/admin/user-data.js";
import { pruneStorage } from "../../../dist/admin/prune-storage.js";
import { loadConfig } from "../../../dist/config/load-config.js";
import { systemRandom } from "../../../dist/runtime/random.js";
import { createAccountsService } from "../../../dist/service/accounts-service.js";
import { openStorage } from "../../../dist/storage/open-storage.js";

const [, , url, work, now] = process.argv;
const flags = { "retention.answers_days": 30, "retention.events_days": 30 };
const { config } = await loadConfig({ env: {}, flags });
const storage = await openStorage(url);
const clock = { now: () => Number(now) };
const service = createAccountsService({ config, storage, clock, random: systemRandom });
const about = { actor: "ops", reason: "asked by mail", settled: () => Promise.resolve() };
process.on("message", async () => {
  await (work === "erase" ? eraseUser(service, "alice", about, () => undefined) : pruneStorage(service));
  await storage.close();
  process.disconnect();
});
process.send({ ready: true });
