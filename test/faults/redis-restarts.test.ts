import { describe, expect, it, onTestFinished } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { SEED, soak } from "./load/options.ts";
import { seeded } from "./load/seeded.ts";
import { addUsers, outcomeOf, startLedgerLoad } from "./redis-ledger-load.ts";

/** How often Redis is killed under load. */
const KILLS = soak?.count ?? 8;
/** `always`, which loses nothing; with another, what is lost is measured. */
const FSYNC = soak?.appendfsync ?? "always";

describe.skipIf(noRedis !== undefined)("a Redis that is killed", () => {
  it(
    `keeps what was acknowledged and doubles nothing, killed under load ${KILLS} times (appendfsync ${FSYNC}, seed ${SEED})`,
    async () => {
      const server = await startRedis({ config: { appendonly: "yes", appendfsync: FSYNC } });
      const storages = await Promise.all(Array.from({ length: 3 }, () => openStorage(server.url())));
      onTestFinished(async () => {
        for (const storage of storages) await storage.close();
        await server.stop();
      });
      const users = ["alice", "bob", "carol", "dora"];
      await addUsers(storages[0]!, users);
      const load = startLedgerLoad({ storages, users, clients: 12, again: true });
      const choice = seeded(SEED, "kills");
      for (let kill = 0; kill < KILLS; kill++) {
        const enough = load.acknowledged.size + 5 + choice.below(100);
        await until("enough operations were acknowledged", () => load.acknowledged.size >= enough);
        await server.kill();
        await server.restart();
      }
      await load.stop();
      const outcome = await outcomeOf(storages[0]!, users, load.acknowledged);
      console.log(
        `${KILLS} kills, appendfsync ${FSYNC}, seed ${SEED}: ${load.acknowledged.size} acknowledged, ` +
          `${outcome.lost.length} lost, ${outcome.doubled.length} doubled; longest try ${Math.round(load.longest())} ms`,
      );
      expect(outcome).toMatchObject({ doubled: [], faults: [] });
      expect(outcome.entries).toBe(load.acknowledged.size - outcome.lost.length);
      if (FSYNC === "always") expect(outcome.lost).toEqual([]);
    },
    180_000 + KILLS * 3000,
  );
});
