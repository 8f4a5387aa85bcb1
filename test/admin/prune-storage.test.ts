import { copyFile, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findDamagedValues } from "../support/find-damaged-values.ts";
import { pruneStorage } from "../../src/admin/prune-storage.ts";
import { messageKey, readMessages } from "../../src/assistant/sessions/messages.ts";
import { startRetention } from "../../src/daemon/retention-timer.ts";
import { listDays } from "../../src/events/log/day-log.ts";
import { verifyLedgers } from "../../src/ledger/verify-ledgers.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis } from "../support/redis-server.ts";
import { ANCHOR, openCopiedService } from "../support/service.ts";

const DAY = 86_400_000;
const DAYS = { "retention.answers_days": 30, "retention.events_days": 30 };

/** Old and new answers: a session that ended, one that went on, and events, the last of them 60 days after the first. */
async function openWorld(storage: Storage) {
  const world = await openCopiedService({ fixture: "small", seed: "prune", refresh: true, flags: DAYS }, storage);
  const { service, clock } = world;
  let asked = 0;
  const ask = async (user: string, session_id?: number, idempotency_key?: string) => {
    const call = { request_id: `ask${asked++}`, user, ...(idempotency_key !== undefined && { idempotency_key }) };
    const { data } = await service.run("sendChat", call, { body: { question: "hello", session_id } });
    await service.settled();
    return data;
  };
  clock.set(ANCHOR);
  const ended = await ask("alice", undefined, "old");
  await ask("alice", ended.session_id);
  const running = await ask("carol");
  for (let turn = 0; turn < 3; turn++) await ask("carol", running.session_id);
  clock.set(ANCHOR + 20 * DAY);
  await ask("carol", running.session_id);
  clock.set(ANCHOR + 40 * DAY);
  const late = await ask("carol", running.session_id);
  const young = await ask("alice");
  clock.set(ANCHOR + 60 * DAY);
  await service.events.flush();
  return { ...world, ask, ended, running, late, young };
}

async function damageOf(storage: Storage): Promise<string[]> {
  const found: string[] = [];
  for await (const { damage } of verifyLedgers(storage)) if (damage !== undefined) found.push(damage.message);
  for (const { message } of await findDamagedValues(storage)) found.push(message);
  return found;
}

async function expectPruned(storage: Storage, world: Awaited<ReturnType<typeof openWorld>>): Promise<void> {
  const { service, clock, ask, ended, running, late, young } = world;
  expect(await damageOf(storage)).toEqual([]);
  const left = await readMessages(
    storage,
    [ended, running, late, young].map(({ message_id }) => message_id),
  );
  expect(left.map(({ message_id }) => message_id)).toEqual([late.message_id, young.message_id]);
  expect((await listDays(storage, {})).every((day) => Date.parse(day) >= ANCHOR + 30 * DAY)).toBe(true);
  const before = (await service.ledger.open("alice")).version;
  // Nothing is charged again for an answer that is gone, and the key stays taken.
  await expect(ask("alice", undefined, "old")).rejects.toThrow("answer is no longer kept");
  expect((await service.ledger.open("alice")).version).toBe(before);
  expect(await ask("carol", running.session_id)).toMatchObject({ session_id: running.session_id });
  // One that is gone is opened again by its id.
  for (let turn = 0; turn < 2; turn++)
    expect(await ask("alice", ended.session_id)).toMatchObject({ session_id: ended.session_id });
  // Idle for as long as answers are kept, it may be removed at any time.
  clock.advance(30 * DAY + 1);
  expect((await ask("alice", ended.session_id)).session_id).not.toBe(ended.session_id);
  expect(await damageOf(storage)).toEqual([]);
  await storage.remove(messageKey(young.message_id));
  expect(await damageOf(storage)).toEqual([expect.stringContaining("the answer is missing")]);
}

/** Prunes again and again, each time until another write fails. */
async function pruneWithFailures(storage: Storage, world: Awaited<ReturnType<typeof openWorld>>): Promise<void> {
  for (let bound = 0, done = false; !done; bound++) {
    let writes = 0;
    const dying = interceptStorage(storage, (verb, _key, run) => {
      const isWrite = verb === "put" || verb === "remove" || verb === "create";
      return isWrite && ++writes > bound ? Promise.reject(new Error("killed")) : run();
    });
    done = await pruneStorage({ ...world.service, storage: dying }).then(
      () => true,
      () => false,
    );
    expect(await damageOf(storage)).toEqual([]);
  }
}

describe("pruning", () => {
  it("removes what is older than is kept, wherever it was interrupted, on files", async () => {
    const folder = await temporaryFolder();
    try {
      const storage = await openStorage(`fs:${folder.path}`);
      const world = await openWorld(storage);
      const found = await pruneStorage(world.service, { dryRun: true });
      // In a copied folder, the second name of the end is a file of its own.
      const last = join(folder.path, "events/2026-11-20/0/.last");
      await copyFile(last, `${last}.copy`);
      await rename(`${last}.copy`, last);
      expect(found).toMatchObject([
        { kind: "answers", count: 7, oldest_day: "2026-11-20", newest_day: "2026-12-10" },
        { kind: "sessions", count: 1, oldest_day: "2026-11-20", newest_day: "2026-11-20" },
        { kind: "event_days", newest_day: "2026-12-10" },
      ]);
      expect(await readMessages(storage, [world.ended.message_id])).toHaveLength(1);
      await pruneWithFailures(storage, world);
      expect(await readdir(join(folder.path, "events"))).toEqual(["2026-12-30"]);
      await expectPruned(storage, world);
      await world.service.close();
    } finally {
      await folder.remove();
    }
  });

  it.skipIf(noRedis !== undefined)("does so on a Redis, with two processes at once", async () => {
    const redis = await startRedis();
    try {
      const storage = await openStorage(redis.url());
      const world = await openWorld(storage);
      const other = await openStorage(redis.url());
      await Promise.all([pruneStorage(world.service), pruneStorage({ ...world.service, storage: other })]);
      await other.close();
      await expectPruned(storage, world);
      await world.service.close();
    } finally {
      await redis.stop();
    }
  });

  it("is done by a daemon at each midnight of the quota", async () => {
    const world = await openWorld(await openStorage("memory:"));
    const { service, ended } = world;
    const clock = fixedClock(ANCHOR + 60 * DAY);
    const stop = new AbortController();
    const waits: number[] = [];
    const wait = async (ms: number): Promise<void> => {
      if (waits.push(ms) === 2) stop.abort();
      clock.advance(ms);
      return Promise.resolve();
    };
    await startRetention({ ...service, clock, logger: silentLogger }, stop.signal, wait);
    // In +08:00, midnight is at 16:00 UTC.
    expect(waits).toEqual([16 * 3_600_000, DAY]);
    expect(await readMessages(service.storage, [ended.message_id])).toEqual([]);
    await service.close();
  });
});
