import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { SMALL_WORLD } from "../support/program.ts";
import { browse } from "./load/browse.ts";
import { startDaemonServer } from "./load/daemon-process.ts";
import { drive } from "./load/drive.ts";
import type { Call } from "./load/history.ts";
import { SEED, soak } from "./load/options.ts";
import { openPlace } from "./load/places.ts";
import type { Mix } from "./load/plan.ts";
import { openPool } from "./load/pool.ts";
import { createSummary } from "./load/summary.ts";
import { createWorld, judge } from "./load/world.ts";

const MINUTES = soak?.minutes ?? 0.03;
const RATE = soak?.rate ?? 100;
/** Each round has users of its own, and its histories are checked at its end. */
const ROUND_MS = Math.min(20_000, MINUTES * 60_000);
const SAMPLE_MS = 10_000;
const CLIENTS = 16;
const QUOTA = 5;
/** No `adjust`: it is not in the interface. */
const MIX: Mix = { chat: 6, exchange: 3, trade_reward: 2, points: 2, ledger: 2 };
const QUESTION = "What is the withdrawal fee?";

/** Resident memory of a process, MB. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

describe.each([soak?.storage ?? "files"])("two daemons on %s", (kind) => {
  it(
    `serve a mixed load of ${RATE} requests a second for ${MINUTES} minutes without a wrong answer`,
    async () => {
      const place = await openPlace(kind);
      const storage = await openStorage(place.url);
      const args = [...(soak === undefined ? SMALL_WORLD : ["--demo"]), "--storage", place.url, "--log-level", "error"];
      const pool = await openPool([1, 2].map(() => () => startDaemonServer(args)));
      const daemons = pool.serving();
      const summary = createSummary();
      const memory = daemons.map(() => [] as number[]);
      const sample = (): void => {
        for (const [index, { pid }] of daemons.entries()) memory[index]!.push(memoryOf(pid));
      };
      sample();
      const sampling = setInterval(sample, SAMPLE_MS);
      const started = Date.now();
      try {
        for (let round = 0; Date.now() < started + MINUTES * 60_000; round++) {
          const users = Array.from({ length: 6 }, (_, index) => `visitor ${round}.${index}`);
          await createWorld(storage, users, QUOTA);
          const end = Date.now() + ROUND_MS;
          const enough = (): boolean => Date.now() >= end;
          const calls: Call[] = [];
          const load = { seed: SEED, run: `r${round}`, clients: CLIENTS, users, mix: MIX, question: QUESTION };
          const [, failures] = await Promise.all([
            drive(pool, { ...load, rate: RATE * 0.6, enough }, calls),
            browse({
              urls: daemons.map(({ url }) => url),
              user: users[0]!,
              seed: SEED + round,
              rate: RATE * 0.4,
              summary,
              enough,
            }),
          ]);
          expect(failures).toEqual([]);
          expect(calls.filter(({ answer }) => answer === undefined)).toEqual([]);
          expect(await judge(storage, users, calls, QUOTA)).toEqual([]);
          summary.add(calls);
          if (soak !== undefined && round % 15 === 0) {
            const now = memory.map((samples) => `${samples.at(-1)!.toFixed(0)} MB`).join(", ");
            console.log(`${((Date.now() - started) / 60_000).toFixed(1)} min: ${now}`);
          }
        }
        for (const [index, samples] of memory.entries()) {
          const every = Math.ceil(samples.length / 20);
          const shown = samples.filter((_, at) => at % every === 0).map((mb) => mb.toFixed(0));
          if (soak !== undefined) console.log(`memory of ${daemons[index]!.name}, MB: ${shown.join(" ")}`);
          // Once all caches and the heap have found their size, it stays there.
          if (samples.length < 50) continue;
          const part = (from: number, to: number): number =>
            median(samples.slice(Math.floor(samples.length * from), Math.floor(samples.length * to)));
          expect(part(0.8, 1)).toBeLessThan(part(0.2, 0.4) * 1.2);
        }
        if (soak !== undefined) console.log(summary.lines().join("\n"));
      } finally {
        clearInterval(sampling);
        await pool.close();
        await storage.close();
        await place.remove();
      }
    },
    120_000 + MINUTES * 90_000,
  );
});
