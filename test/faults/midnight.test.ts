import { describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { record } from "./load/drive.ts";
import type { Answer, Call } from "./load/history.ts";
import { SEED, soak } from "./load/options.ts";
import { openPlace } from "./load/places.ts";
import { seeded } from "./load/seeded.ts";
import { startServiceProcess } from "./load/service-process.ts";
import { createSummary } from "./load/summary.ts";
import { createWorld, entriesOf, judge, QUESTION, SETTINGS } from "./load/world.ts";

const MIDNIGHTS = soak?.count ?? 2;
const [PROCESSES, CLIENTS] = soak === undefined ? [3, 30] : [4, 64];
const QUOTA = 20;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A midnight at +08:00. */
const FIRST_MIDNIGHT = Date.parse("2026-11-20T16:00:00Z");
/** How long before and after it the clients ask, on the clocks that are right. */
const [BEFORE_MS, AFTER_MS] = [100, 150];
const USER = "awake";
/** No error of any clock. */
const RIGHT = Array.from({ length: PROCESSES }, () => 0);

describe.each([soak?.storage ?? "files"])(`${CLIENTS} clients on ${PROCESSES} processes on %s`, (kind) => {
  it(
    `get the day's free uses once at each of ${MIDNIGHTS} midnights, with clocks an hour ahead and behind among them`,
    async () => {
      const place = await openPlace(kind);
      const storage = await openStorage(place.url);
      const servers = await Promise.all(
        Array.from({ length: PROCESSES }, () => startServiceProcess(place.url, SETTINGS)),
      );
      const choice = seeded(SEED, "clocks");
      const summary = createSummary();
      const calls: Call[] = [];
      const ask = async (client: number): Promise<Answer | undefined> => {
        const request = { kind: "chat", question: QUESTION } as const;
        const server = servers[client % servers.length]!;
        return (await record(calls, server, { user: USER, request_id: `c${calls.length}-${client}`, request })).answer;
      };
      /** Sets the clocks to an instant, each off by its own error. */
      const setClocks = async (instant: number, errors: readonly number[]): Promise<void> => {
        const skew = instant - Date.now();
        await Promise.all(servers.map((server, index) => server.skew(skew + errors[index]!)));
      };
      const everybody = async (): Promise<void> => {
        await Promise.all(Array.from({ length: CLIENTS }, (_, client) => ask(client)));
      };
      const used = async (): Promise<number> => (await entriesOf(storage, USER)).length;
      try {
        await createWorld(storage, [USER], QUOTA);
        await setClocks(FIRST_MIDNIGHT - 2 * HOUR_MS, RIGHT);
        await everybody();
        expect(await used()).toBe(QUOTA);
        for (let round = 0; round < MIDNIGHTS; round++) {
          const midnight = FIRST_MIDNIGHT + round * DAY_MS;
          const errors = servers.map(() => choice.pick([0, 0, HOUR_MS, -HOUR_MS]));
          await setClocks(midnight - BEFORE_MS, errors);
          const end = Date.now() + BEFORE_MS + AFTER_MS;
          const client = async (number: number): Promise<void> => {
            while (Date.now() < end) await ask(number);
          };
          await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
          // Whatever the clocks were, by now all but those an hour behind have seen the new day.
          await setClocks(midnight + AFTER_MS, RIGHT);
          await everybody();
          expect(await used(), `midnight ${round}`).toBe(QUOTA * (round + 2));
          // Back before midnight, and on again: neither day opens once more.
          for (const hours of [-1, 1]) {
            await setClocks(midnight + hours * HOUR_MS, RIGHT);
            await everybody();
            expect(await used(), `${hours} h from midnight ${round}`).toBe(QUOTA * (round + 2));
          }
        }
        expect(await judge(storage, [USER], calls, QUOTA)).toEqual([]);
        summary.add(calls);
        if (soak !== undefined) console.log(summary.lines().join("\n"));
      } finally {
        await Promise.all(servers.map((server) => server.end("SIGTERM")));
        await storage.close();
        await place.remove();
      }
    },
    180_000 + MIDNIGHTS * 20_000,
  );
});
