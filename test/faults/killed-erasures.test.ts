import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { findDamagedValues } from "../support/find-damaged-values.ts";
import { restoreStorage } from "../../src/backup/restore-storage.ts";
import { storedValues, type StoredValue } from "../../src/backup/storage-archive.ts";
import { verifyLedgers } from "../../src/ledger/verify-ledgers.ts";
import { collect } from "../../src/runtime/batches.ts";
import { UNFINISHED_IMPORT } from "../../src/storage/keys.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { bytesOf, plantCanaries } from "../support/canaries.ts";
import { folderOnDisk } from "../support/folder.ts";
import { startRedis } from "../support/redis-server.ts";
import { ANCHOR } from "../support/service.ts";
import { SEED, soak } from "./load/options.ts";
import { PLACES } from "./load/places.ts";
import { seeded } from "./load/seeded.ts";

const KILLS = soak?.count ?? 50;
const PROGRAM = join(import.meta.dirname, "load/erase-process.js");
const LATER = ANCHOR + 40 * 86_400_000;

/** A storage whose raw bytes can be read and that can be emptied. */
async function openRaw(kind: string) {
  if (kind === "files") {
    const folder = await folderOnDisk();
    let round = 0;
    const path = (): string => join(folder.path, String(round));
    return {
      url: () => `fs:${path()}`,
      bytes: () => bytesOf(path()),
      empty: () => Promise.resolve(void (round += 1)),
      remove: folder.remove,
    };
  }
  const redis = await startRedis({ config: { rdbcompression: "no" } });
  return {
    url: () => redis.url(),
    bytes: async () => {
      await redis.command("save");
      return bytesOf(redis.folder);
    },
    empty: () => redis.command("flushall"),
    remove: () => redis.stop(),
  };
}

/** Runs the work in a process of its own; how long it took, and undefined where it was killed after so many ms. */
async function work(url: string, name: string, killAfter?: number): Promise<number | undefined> {
  const child = fork(PROGRAM, [url, name, String(LATER)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ended = once(child, "exit");
  await once(child, "message");
  const began = performance.now();
  child.send({});
  if (killAfter !== undefined) await delay(killAfter).then(() => child.kill("SIGKILL"));
  const [code, signal] = (await ended) as [number | null, string | null];
  expect([0, "SIGKILL"]).toContain(signal ?? code);
  return signal === null ? performance.now() - began : undefined;
}

async function damageOf(storage: Storage): Promise<string[]> {
  const found: string[] = [];
  for await (const { damage } of verifyLedgers(storage)) if (damage !== undefined) found.push(damage.message);
  for (const { message } of await findDamagedValues(storage)) found.push(message);
  return found;
}

const kinds = PLACES.filter((kind) => kind !== "cluster" && kind === (soak?.storage ?? kind));
const cases = kinds.flatMap((kind) => [[kind, "erase"] as const, [kind, "prune"] as const]);

// Each process takes half a second to start; test/admin interrupts both at every write.
describe.skipIf(soak === undefined).each(cases)("on %s, processes that %s and are killed", (kind, name) => {
  it(
    `leave nothing damaged, and once run again none of the words, in ${KILLS} kills`,
    async () => {
      const choice = seeded(SEED, kind, name);
      const origin = await openStorage("memory:");
      const { service, words } = await plantCanaries(origin);
      // Pruning leaves what is no answer and no event: the labels of tokens.
      const sought = words.filter((_word, n) => name === "erase" || n % 3 !== 2 || n === words.length - 1);
      const values = await collect(storedValues(origin));
      await service.close();
      const place = await openRaw(kind);
      let [kills, cutOff, longest] = [0, 0, 50];
      try {
        while (kills < KILLS) {
          await place.empty();
          await fill(place.url(), values);
          const took = await work(place.url(), name, choice.next() * longest);
          // Late kills find the work done: the next ones come earlier.
          if (took !== undefined) longest = Math.max(5, took);
          else {
            kills += 1;
            const storage = await openStorage(place.url());
            const damage = await damageOf(storage);
            await storage.close();
            cutOff += damage.length;
            for (const message of damage) expect(message).toMatch(/^the erasure that began on .* was cut off/);
            expect(name === "erase" ? damage.length : -damage.length).toBeLessThan(2);
          }
          await work(place.url(), name);
          const storage = await openStorage(place.url());
          expect(await damageOf(storage)).toEqual([]);
          await storage.close();
          const bytes = await place.bytes();
          expect(sought.filter((word) => bytes.includes(word))).toEqual([]);
        }
        console.log(`${kills} kills of ${name} on ${kind}, ${cutOff} of them shown as cut off, no word left`);
      } finally {
        await place.remove();
      }
    },
    60_000 + KILLS * 10_000,
  );
});

async function fill(url: string, values: readonly StoredValue[]): Promise<void> {
  const storage = await openStorage(url);
  await restoreStorage(storage, Readable.from(values), { values: 0, present: 0 });
  await storage.remove(UNFINISHED_IMPORT);
  await storage.close();
}
