import { open } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { entry, ledgerKey } from "../../src/ledger/entry.ts";
import { verifyLedger } from "../support/verify-ledger.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { systemRandom } from "../../src/runtime/random.ts";
import { createService, type Service } from "../../src/service/service.ts";
import { printKey } from "../../src/storage/documents.ts";
import { encodeKey } from "../../src/storage/keys.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { CorruptionError, StorageError, type Key, type Storage } from "../../src/storage/storage.ts";
import { Stream } from "../../src/storage/stream.ts";
import { soak } from "./load/options.ts";
import { openPlace, PLACES } from "./load/places.ts";
import { createWorld, SETTINGS } from "./load/world.ts";

const ENTRIES = soak === undefined ? 5 : 40;
/** The short run leaves out the cluster, whose streams are those of Redis. */
const KINDS =
  soak?.storage === undefined
    ? ["memory:", ...PLACES.filter((kind) => soak !== undefined || kind !== "cluster")]
    : [soak.storage];
const USER = "alice";
const OTHER = "bob";

const DAMAGES = ["delete", "truncate", "flip", "repeat after the end", "repeat over the next"] as const;

/** A ledger under test: what it should hold, and the service that works on it. */
interface Subject {
  readonly storage: Storage;
  service: Service;
  entries: number;
  balance: number;
  /** By the key of the operation, the entry that it made. */
  readonly operations: Map<string, number>;
}

const keyOf = (storage: Storage, number: number): Key => new Stream(storage, ledgerKey(USER), entry).keyOf(number);

async function start(url: string): Promise<Service> {
  const { config, baseDir } = await loadConfig({ env: {}, flags: SETTINGS });
  const storage = await openStorage(url);
  return createService({ config, baseDir, storage, clock: systemClock, random: systemRandom, logger: silentLogger });
}

function exchange({ service }: Pick<Subject, "service">, user: string, key: string) {
  return service.run("exchangePoints", { request_id: key, user, idempotency_key: key }, { body: { token_amount: 1 } });
}

/** Writes in place, as a disk does that flips a bit: a file stays the same one. */
async function overwrite(storage: Storage, key: Key, text: string): Promise<void> {
  if (!storage.url.startsWith("fs:")) return storage.put(key, text);
  const file = await open(`${storage.url.slice(3)}/${encodeKey(key).replaceAll(":", "/")}.json`, "r+");
  await file.truncate(0);
  await file.write(text, 0);
  await file.close();
}

/** Damages an entry. Returns the key whose value is wrong, and the way back. */
async function damage(
  { storage, entries }: Subject,
  kind: (typeof DAMAGES)[number],
  number: number,
): Promise<{ key: string; repair: () => Promise<void> } | undefined> {
  const key = keyOf(storage, number);
  const text = (await storage.get(key))!;
  const changed = async (to: Key, value: string): Promise<{ key: string; repair: () => Promise<void> }> => {
    const before = (await storage.get(to))!;
    await overwrite(storage, to, value);
    return { key: printKey(to), repair: () => overwrite(storage, to, before) };
  };
  switch (kind) {
    case "delete":
      await storage.remove(key);
      return { key: printKey(key), repair: async () => void (await storage.create(key, text)) };
    case "truncate":
      return changed(key, text.slice(0, text.length / 2));
    case "flip":
      return changed(
        key,
        text.replace(/"balance":\d/, '"balance":8'.replace("8", text.includes('"balance":8') ? "9" : "8")),
      );
    case "repeat after the end": {
      const next = keyOf(storage, entries + 1);
      await storage.create(next, text);
      return { key: printKey(next), repair: () => storage.remove(next) };
    }
    case "repeat over the next":
      return number === entries ? undefined : changed(keyOf(storage, number + 1), text);
  }
}

/** What a call came to: its result, or the key of the damage that it was refused for. */
async function outcome<T>(call: Promise<T>): Promise<T | string> {
  return call.catch((error: unknown) => {
    if (error instanceof CorruptionError) return error.key;
    // A remembered entry that was changed since.
    const changed =
      error instanceof StorageError ? /^Cannot confirm (\S+): the key has another value/.exec(error.message) : null;
    if (changed !== null) return changed[1]!;
    throw error;
  });
}

/** Every call on the damaged ledger is right or names the key; nothing goes into the gap; others are served. */
async function checkDamaged(subject: Subject, key: string, about: string): Promise<void> {
  const { service } = subject;
  const call = { request_id: "r", user: USER };
  const before = await subject.storage.get(key.split("/"));
  const points = await outcome(service.run("getPoints", call, {}));
  if (typeof points === "string") expect(points, about).toBe(key);
  else expect(points.data.balance, about).toBe(subject.balance);
  const page = await outcome(service.run("getLedger", call, { query: { page: 1, page_size: 100 } }));
  if (typeof page === "string") expect(page, about).toBe(key);
  else
    expect([page.data.total, page.data.items.length], about).toEqual([subject.entries, Math.min(100, subject.entries)]);
  // Those of the first entries, and the last.
  const operations = [...subject.operations];
  for (const [operation, number] of [...operations.slice(0, ENTRIES), operations.at(-1)!]) {
    const again = await outcome(exchange(subject, USER, operation));
    if (typeof again === "string") expect(again, about).toBe(key);
    else
      expect([again.replayed, again.data.balance_after], `${about}, again ${operation}`).toEqual([true, number * 10]);
  }
  const fresh = `fresh ${about}`;
  const made = await outcome(exchange(subject, USER, fresh));
  if (typeof made === "string") expect(made, about).toBe(key);
  else {
    subject.entries += 1;
    subject.balance += 10;
    expect(made.data.balance_after, about).toBe(subject.balance);
    subject.operations.set(fresh, subject.entries);
  }
  expect(await subject.storage.get(key.split("/")), about).toBe(before);
  expect((await exchange(subject, OTHER, fresh)).replayed, about).toBe(false);
}

describe.each(KINDS)("a damaged ledger on %s", (kind) => {
  it.each(["running", "stopped"] as const)(
    `shows no wrong balance, fills no gap and grants nothing twice, with the service %s`,
    async (state) => {
      if (kind === "memory:" && state === "stopped") return;
      const place = await openPlace(kind);
      const storage = await openStorage(place.url);
      await createWorld(storage, [USER, OTHER], 0);
      const shared = kind === "memory:" ? storage : undefined;
      const open = async (): Promise<Service> => (shared === undefined ? start(place.url) : startOn(shared));
      const subject: Subject = { storage, service: await open(), entries: 0, balance: 0, operations: new Map() };
      for (let number = 1; number <= ENTRIES; number++) {
        await exchange(subject, USER, `first ${number}`);
        subject.operations.set(`first ${number}`, number);
      }
      Object.assign(subject, { entries: ENTRIES, balance: ENTRIES * 10 });
      let refused = 0;
      for (const damageKind of DAMAGES) {
        for (let number = 1; number <= ENTRIES; number++) {
          const target = number === ENTRIES ? subject.entries : number;
          const about = `${damageKind} ${target}, ${state}`;
          if (state === "stopped") await subject.service.close();
          const done = await damage(subject, damageKind, target);
          if (state === "stopped") subject.service = await open();
          if (done === undefined) continue;
          const entries = subject.entries;
          await checkDamaged(subject, done.key, about);
          if (subject.entries === entries) refused += 1;
          await done.repair();
          expect(await verifyLedger(storage, USER), about).toMatchObject({
            entries: subject.entries,
            balance: subject.balance,
          });
          expect((await verifyLedger(storage, USER)).damage, about).toBeUndefined();
        }
      }
      if (soak !== undefined) console.log(`${kind}, ${state}: ${subject.entries} entries, ${refused} appends refused`);
      await subject.service.close();
      await storage.close();
      await place.remove();
    },
    soak === undefined ? 180_000 : 900_000,
  );
});

async function startOn(storage: Storage): Promise<Service> {
  const { config, baseDir } = await loadConfig({ env: {}, flags: SETTINGS });
  const own = { ...storage, close: () => Promise.resolve() };
  return createService({
    config,
    baseDir,
    storage: own,
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
  });
}
