import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cp, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { checksummed } from "../../src/backup/checksummed-lines.ts";
import { archivedValues, storedValues } from "../../src/backup/storage-archive.ts";
import { restoreStorage } from "../../src/backup/restore-storage.ts";
import { entry, ledgerKey } from "../../src/ledger/entry.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import { collect } from "../../src/runtime/batches.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { encodedItem, encodeKey, SEGMENT_SIZE } from "../../src/storage/keys.ts";
import { identifyStorage } from "../../src/storage/identity/storage-identity.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { EncodedSegment, type Storage } from "../../src/storage/storage.ts";
import { Stream } from "../../src/storage/stream.ts";
import { soak } from "./load/options.ts";
import { temporaryFolder } from "../support/folder.ts";
import { verifyLedger } from "../support/verify-ledger.ts";

const USER = "alice";
const STEM = new EncodedSegment(encodeKey(ledgerKey(USER)));
const ENTRIES = SEGMENT_SIZE + 3;
const clock = fixedClock(Date.parse("2026-11-20T00:00:00Z"));
const ledgerOn = (storage: Storage) => createLedger({ storage, clock, quotaRules: createQuotaRules("+08:00") });
const post = (storage: Storage, key: number) =>
  ledgerOn(storage).post(USER, {
    operation: { id: `key:${key}`, request: { key }, ...(key % KEYED === 0 && { origin: ORIGIN }) },
    command: { type: "adjust", delta: 1, reason: "账", actor: "ops" },
    ref_id: String(key),
    lang: "zh",
  });
const KEYED = 100; // One operation in so many can be repeated.
const ORIGIN = { in: "header", path: "Idempotency-Key" } as const;

/** The values of a storage with a ledger of one full folder and the begin of another. */
let values: { readonly key: string; readonly value: string }[];
let base: string;
let storage: Storage;
const keyOf = (number: number) => new Stream(storage, ledgerKey(USER), entry).keyOf(number);
const fileOf = (number: number): string => join(base, `${encodedItem(STEM.text, number).replaceAll(":", "/")}.json`);
const sealed = (): string => join(dirname(fileOf(1)), ".sealed");
const textOf = (number: number): string => values.find(({ key }) => key === encodedItem(STEM.text, number))!.value;

beforeAll(async () => {
  const memory = await openStorage("memory:");
  for (let number = 1; number <= ENTRIES; number++) await post(memory, number);
  values = await collect(
    archivedValues(
      checksummed(
        "storage",
        "",
        storedValues(memory, () => undefined),
      ),
    ),
  );
});

beforeEach(async () => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  base = join(folder.path, "data");
  const files = values.map(({ key, value }) => ({ path: join(base, `${key.replaceAll(":", "/")}.json`), value }));
  for (const parent of new Set(files.map(({ path }) => dirname(path)))) mkdirSync(parent, { recursive: true });
  // Waiting for each of a thousand small files takes longer than writing it.
  for (const { path, value } of files) writeFileSync(path, value);
  await link(fileOf(ENTRIES), join(dirname(fileOf(ENTRIES)), ".last"));
  storage = await openStorage(`fs:${base}`);
});

/** Everything that can be seen of the ledger is as it was before it was sealed. */
async function expectWhole(on: Storage): Promise<void> {
  expect(await verifyLedger(on, USER)).toMatchObject({ entries: ENTRIES, balance: ENTRIES });
  const archived = await collect(
    archivedValues(
      checksummed(
        "storage",
        "",
        storedValues(on, () => undefined),
      ),
    ),
  );
  const byKey = (one: { key: string }, other: { key: string }): number => (one.key < other.key ? -1 : 1);
  expect(archived.toSorted(byKey)).toEqual(values.toSorted(byKey));
  await expectRefused(on);
}

async function expectRefused(on: Storage): Promise<void> {
  for (const number of [1, 500, SEGMENT_SIZE]) {
    expect(await on.append(STEM, number, "{}"), String(number)).toBe("conflict");
    expect(await on.get(keyOf(number))).toBe(textOf(number));
  }
  // As a build does that knows nothing of sealed items.
  await writeFile(join(base, "other"), "{}");
  await expect(link(join(base, "other"), fileOf(500))).rejects.toMatchObject({ code: "EEXIST" });
  await rm(join(base, "other"));
}

const inodes = async (): Promise<number> => {
  const folder = dirname(fileOf(1));
  const found = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
  return new Set(found.map(({ ino }) => ino)).size;
};

const temporaryNames = async (): Promise<string[]> =>
  (await readdir(dirname(fileOf(1)))).filter((name) => name.endsWith(".tmp"));

describe("a full folder of a ledger", () => {
  it("is sealed into two files, and read, verified, archived and appended to as before", async () => {
    const before = await openStorage(`fs:${base}`);
    expect(await before.get(keyOf(7))).toBe(textOf(7));
    await storage.tidy(Date.now());
    expect(await inodes()).toBe(2);
    for (const on of [storage, before, await openStorage(`fs:${base}`)]) await expectRefused(on);
    await expectWhole(before);
    expect(await stat(fileOf(ENTRIES))).toMatchObject({ nlink: 2 });
    expect((await post(storage, ENTRIES + 1)).entry.id).toBe(ENTRIES + 1);
    expect((await post(before, 700)).entry.id).toBe(700);
    await storage.tidy(Date.now());
    expect(await verifyLedger(storage, USER)).toMatchObject({ entries: ENTRIES + 1 });
  });

  it("is listed by its last item where that is enough, unless one of its items is gone", async () => {
    const listed = async (): Promise<string[]> => {
      const found = (await collect(storage.keys(["users", USER], undefined, "last"))).map(encodeKey);
      const items = found.filter((key) => key.startsWith(`${STEM.text}:`) && !key.endsWith(":head"));
      return items.toSorted();
    };
    const items = (from: number, to: number): string[] =>
      Array.from({ length: to - from + 1 }, (_, step) => encodedItem(STEM.text, from + step));
    expect(await listed()).toEqual(items(1, ENTRIES).toSorted());
    await storage.tidy(Date.now());
    expect(await listed()).toEqual(items(SEGMENT_SIZE, ENTRIES).toSorted());
    expect(await collect(storage.keys(["users", USER]))).toHaveLength(
      values.filter(({ key }) => key.startsWith("users:")).length,
    );
    await storage.remove(keyOf(SEGMENT_SIZE));
    expect(await listed()).toEqual([...items(1, SEGMENT_SIZE - 1), ...items(SEGMENT_SIZE + 1, ENTRIES)].toSorted());
    expect((await verifyLedger(storage, USER)).damage).toMatchObject({ entry: SEGMENT_SIZE });
  });

  it("is not sealed before an item follows it, nor with an item that is damaged", async () => {
    for (let number = ENTRIES; number > SEGMENT_SIZE; number--) await storage.discard(keyOf(number));
    await storage.tidy(Date.now());
    expect(await inodes()).toBe(SEGMENT_SIZE);
    for (let number = SEGMENT_SIZE + 1; number <= ENTRIES; number++)
      await storage.create(keyOf(number), textOf(number));
    await storage.put(keyOf(9), "two\nlines");
    await storage.tidy(Date.now());
    expect(await inodes()).toBe(SEGMENT_SIZE);
    await storage.remove(keyOf(9));
    await storage.tidy(Date.now());
    expect(await inodes()).toBe(SEGMENT_SIZE - 1);
  });

  it("shows an item that is removed, and one that is replaced, and is sealed again with it", async () => {
    await storage.tidy(Date.now());
    expect(await storage.getMany([keyOf(1), keyOf(2)])).toEqual([textOf(1), textOf(2)]);
    await rm(fileOf(2));
    expect(await storage.getMany([keyOf(1), keyOf(2)])).toEqual([textOf(1), undefined]);
    expect((await verifyLedger(storage, USER)).damage).toMatchObject({ entry: 2 });
    await storage.create(keyOf(2), textOf(3));
    expect((await verifyLedger(storage, USER)).damage).toMatchObject({ entry: 2 });
    await storage.put(keyOf(2), textOf(2));
    await storage.tidy(Date.now());
    expect(await inodes()).toBe(2);
    await expectWhole(storage);
  });

  it("is sealed once by two processes, and whatever a killed one left of its names", async () => {
    const [one, other] = [await openStorage(`fs:${base}`), await openStorage(`fs:${base}`)];
    await Promise.all([one.tidy(Date.now()), other.tidy(Date.now())]);
    expect(await temporaryNames()).toEqual([]);
    await one.tidy(Date.now());
    expect(await inodes()).toBe(2);
    const folder = dirname(fileOf(1));
    await link(join(folder, ".sealed-item"), join(folder, ".5.json.killed-1.tmp"));
    await storage.tidy(Date.now());
    expect(await temporaryNames()).toEqual([]);
    await expectWhole(storage);
    await rm(fileOf(2));
    expect((await verifyLedger(await openStorage(`fs:${base}`), USER)).damage).toMatchObject({ entry: 2 });
  });

  it("is not sealed by what was read of another folder, nor is that touched", async () => {
    await identifyStorage(storage, { expected: undefined, create: true });
    await cp(base, `${base}-other`, { recursive: true });
    await writeFile(`${base}-other/ready/identity.json`, '{"id":"other"}');
    await rename(base, `${base}-gone`);
    await rename(`${base}-other`, base);
    await expect(storage.tidy(Date.now())).rejects.toThrow("has other");
    expect(await inodes()).toBe(SEGMENT_SIZE);
  });

  it("that cannot be sealed keeps no other from it", async () => {
    const other = "another";
    await cp(join(base, "users", USER), join(base, "users", other), { recursive: true });
    await mkdir(join(base, "users", USER, "ledger", "0", ".sealed"));
    await expect(storage.tidy(Date.now())).rejects.toThrow("EISDIR");
    expect((await stat(fileOf(1).replace(USER, other))).nlink).toBe(SEGMENT_SIZE + 1);
  });

  it("is damaged where its sealed file is, and names the entry", async () => {
    await storage.tidy(Date.now());
    const text = await readFile(sealed(), "utf8");
    const damages: [damaged: string, entry: number][] = [
      [text.replace('"id":400,', '"id":401,'), 400],
      [text.slice(0, -1), 1],
      [text.replace("\n", " "), 1],
      [text.slice(0, text.length / 2), 1],
    ];
    for (const [damaged, entry] of damages) {
      await writeFile(sealed(), damaged);
      expect((await verifyLedger(await openStorage(`fs:${base}`), USER)).damage).toMatchObject({ entry });
    }
    await rm(sealed());
    const failure = (await openStorage(`fs:${base}`)).get(keyOf(5));
    await expect(failure).rejects.toThrow("The stored value of users/alice/ledger/0/5 is damaged");
    await writeFile(sealed(), text);
    await expectWhole(await openStorage(`fs:${base}`));
  });

  it("is reported by an archive of all else where its sealed file is damaged", async () => {
    await storage.tidy(Date.now());
    const text = await readFile(sealed(), "utf8");
    const damages = [() => writeFile(sealed(), text.slice(0, text.length / 2)), () => rm(sealed())];
    for (const damage of damages) {
      await damage();
      const faults: string[] = [];
      const lines = checksummed(
        "storage",
        "",
        storedValues(await openStorage(`fs:${base}`), (fault) => faults.push(fault)),
      );
      expect(await collect(archivedValues(lines))).toHaveLength(values.length - SEGMENT_SIZE);
      expect(faults).toHaveLength(SEGMENT_SIZE);
      expect(faults[4]).toContain("The stored value of users/alice/ledger/0/5 is damaged: the file .sealed");
    }
  });

  it("is read from a copy without links, and restored from an archive", async () => {
    await storage.tidy(Date.now());
    await cp(base, `${base}-copy`, { recursive: true });
    await expectWhole(await openStorage(`fs:${base}-copy`));
    const restored = await openStorage("memory:");
    const archive = archivedValues(
      checksummed(
        "storage",
        "",
        storedValues(storage, () => undefined),
      ),
    );
    await restoreStorage(restored, archive, { values: 0, present: 0 });
    expect(await verifyLedger(restored, USER)).toMatchObject({ entries: ENTRIES });
  });

  it(
    "is whole when the process that seals it is killed at any step, and sealed when it is done again",
    async () => {
      await cp(base, `${base}-copy`, { recursive: true });
      const all = (await tidyApart(`${base}-copy`))!;
      const chosen = CHANGES.map((change) => all.findIndex((step) => step.startsWith(change)));
      expect(chosen).not.toContain(-1);
      const stride = Math.ceil(all.length / (soak?.count ?? all.length));
      const strode = Array.from({ length: Math.ceil(all.length / stride) }, (_, kill) => kill * stride);
      for (const index of soak === undefined ? chosen : strode) {
        expect(await tidyApart(base, index + 1), all[index]).toBeUndefined();
        expect(await verifyLedger(storage, USER), all[index]).toMatchObject({ entries: ENTRIES, balance: ENTRIES });
        await expectRefused(storage);
      }
      expect(await tidyApart(base)).toBeDefined();
      await storage.tidy(Date.now() + 25 * 3600 * 1000);
      expect(await inodes()).toBe(2);
      await expectWhole(storage);
    },
    soak === undefined ? 180_000 : 3_600_000,
  );
});

const WRITE = process.platform === "linux" ? "write synced file" : "write file";

/** The steps that change something, of names the first two and the last. */
const CHANGES = [
  ...[`${WRITE} ..sealed.`, "rename .sealed", `${WRITE} ..sealed-item.`, "rename .sealed-item"],
  ...["link .1.json", "rename 1.json", "rename 2.json", `rename ${SEGMENT_SIZE}.json`],
];

/** Tidies in a process of its own, which may be killed before one of its steps. Returns the steps where it was not. */
function tidyApart(path: string, before = Infinity): Promise<string[] | undefined> {
  const args = [join(inject("processes"), "sealing-process.js"), `fs:${path}`, String(before)];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, (error, out) => {
      if (error === null) resolve(JSON.parse(out) as string[]);
      else if (error.signal === "SIGKILL") resolve(undefined);
      else reject(new Error("the process failed", { cause: error }));
    });
  });
}
