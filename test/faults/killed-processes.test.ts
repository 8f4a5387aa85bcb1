import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startDaemonServer } from "./load/daemon-process.ts";
import { drive } from "./load/drive.ts";
import type { Call } from "./load/history.ts";
import { SEED, soak } from "./load/options.ts";
import { openPlace, PLACES } from "./load/places.ts";
import { MIXED } from "./load/plan.ts";
import { openPool } from "./load/pool.ts";
import { seeded } from "./load/seeded.ts";
import type { Server } from "./load/server.ts";
import { startServiceProcess } from "./load/service-process.ts";
import { createSummary } from "./load/summary.ts";
import { CONFIG_FILE, createWorld, judge, QUESTION, SETTINGS } from "./load/world.ts";

const KILLS = soak?.count ?? 3;
/** Kills between two checks, each on users of its own. */
const KILLS_A_ROUND = 20;
const CLIENTS = 12;
const QUOTA = 5;

const kinds = soak?.storage === undefined ? PLACES.filter((kind) => kind !== "cluster") : [soak.storage];

describe.each(kinds)("processes on %s that are killed under load", (kind) => {
  it(
    `lose nothing that was answered and double nothing in ${KILLS} kills`,
    async () => {
      const place = await openPlace(kind);
      const storage = await openStorage(place.url);
      const folder = await temporaryFolder();
      const config = join(folder.path, "anp.json");
      await writeFile(config, CONFIG_FILE);
      const daemon = (): Promise<Server> =>
        startDaemonServer(["--config", config, "--storage", place.url, "--log-level", "error"]);
      const service = (): Promise<Server> => startServiceProcess(place.url, SETTINGS);
      // A daemon on a Redis is killed under load by test/daemons.
      const pool = await openPool([kind === "files" || soak !== undefined ? daemon : service, service, service]);
      const choice = seeded(SEED, "kills");
      const summary = createSummary();
      try {
        for (let round = 0; pool.kills < KILLS; round++) {
          const users = ["a", "b"].map((name) => `${name}${round}`);
          await createWorld(storage, users, QUOTA);
          const calls: Call[] = [];
          const kills = Math.min(KILLS, pool.kills + KILLS_A_ROUND);
          let next = choice.below(40);
          const killing: Promise<void>[] = [];
          const before = (): void => {
            if (calls.length < next || pool.kills >= kills || pool.serving().length === 1) return;
            next = calls.length + 5 + choice.below(60);
            killing.push(pool.kill(choice));
          };
          const enough = (): boolean => pool.kills >= kills && calls.length >= next;
          const load = { seed: SEED, run: `r${round}`, clients: CLIENTS, users, mix: MIXED, question: QUESTION };
          await drive(pool, { ...load, before, enough }, calls);
          await Promise.all(killing);
          expect(await judge(storage, users, calls, QUOTA)).toEqual([]);
          summary.add(calls);
          if (soak !== undefined) console.log(`${pool.kills} kills on ${kind}, ${calls.length} calls`);
        }
        if (soak !== undefined) console.log([`${pool.kills} kills on ${kind}`, ...summary.lines()].join("\n"));
      } finally {
        await pool.close();
        await storage.close();
        await folder.remove();
        await place.remove();
      }
    },
    180_000 + KILLS * 10_000,
  );
});
