import { describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { record } from "./load/drive.ts";
import type { Call } from "./load/history.ts";
import { SEED, soak } from "./load/options.ts";
import { openPlace, PLACES } from "./load/places.ts";
import { openPool } from "./load/pool.ts";
import { seeded } from "./load/seeded.ts";
import { startServiceProcess } from "./load/service-process.ts";
import { createSummary } from "./load/summary.ts";
import { createWorld, judge, QUESTION, SETTINGS } from "./load/world.ts";

const ROUNDS = soak?.count ?? 1;
const [PROCESSES, CLIENTS] = soak === undefined ? [3, 40] : [4, 64];
const POINTS = 100;

// On one Redis, the kills show the same.
const kinds = PLACES.filter((kind) => soak !== undefined || kind !== "redis");

describe.each(soak?.storage === undefined ? kinds : [soak.storage])("a user with 100 points on %s", (kind) => {
  it(
    `gets exactly 100 answers from ${PROCESSES} processes with ${CLIENTS} clients each, ${ROUNDS} times`,
    async () => {
      const place = await openPlace(kind);
      const storage = await openStorage(place.url);
      const pool = await openPool(
        Array.from({ length: PROCESSES }, () => () => startServiceProcess(place.url, SETTINGS)),
      );
      const summary = createSummary();
      try {
        for (let round = 0; round < ROUNDS; round++) {
          const user = `user ${round}`;
          const choice = seeded(SEED, round);
          const calls: Call[] = [];
          await createWorld(storage, [user], 0);
          const give = { kind: "adjust", delta: POINTS, reason: "the last points" } as const;
          await record(calls, pool.serving()[0]!, { user, request_id: `give-${round}`, request: give });
          const clients = pool.serving().flatMap((server) =>
            Array.from({ length: CLIENTS }, (_, client) => {
              const request_id = `${server.name.replace(" ", "-")}-${client}-${round}`;
              const key = choice.chance(0.5) ? { key: request_id } : {};
              return record(calls, server, { user, request_id, ...key, request: { kind: "chat", question: QUESTION } });
            }),
          );
          const answers = (await Promise.all(clients)).map(({ answer }) => answer);
          const refused = answers.filter((answer) => answer?.status === "refused" && answer.code === 1005);
          expect(answers.filter((answer) => answer?.status === "done")).toHaveLength(POINTS);
          expect(refused).toHaveLength(PROCESSES * CLIENTS - POINTS);
          expect(await judge(storage, [user], calls, 0)).toEqual([]);
          summary.add(calls);
          if (soak !== undefined && (round + 1) % 20 === 0) console.log(`${round + 1} rounds on ${kind}`);
        }
        if (soak !== undefined) console.log(summary.lines().join("\n"));
      } finally {
        await pool.close();
        await storage.close();
        await place.remove();
      }
    },
    180_000 + ROUNDS * 20_000,
  );
});
