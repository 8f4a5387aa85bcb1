import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { chmod, chown, mkdir, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { z } from "zod";
import { StorageAddressError, StorageError, type Storage } from "../../src/storage/storage.ts";
import { identifyStorage } from "../../src/storage/identity/storage-identity.ts";
import { Stream } from "../../src/storage/stream.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { storageOnDriver } from "../../src/storage/storage-on-driver.ts";
import { memoryDriver } from "../../src/storage/memory-driver.ts";
import { decodeSegment } from "../../src/storage/keys.ts";
import { collect } from "../../src/runtime/batches.ts";
import { trapFiles } from "../faults/load/traps.ts";
import { folderOnDisk } from "../support/folder.ts";
import { interceptFileCalls } from "../faults/load/file-calls.js";
import { describeStorage } from "./describe-storage.ts";

describeStorage("files", async () => {
  const folder = await folderOnDisk();
  return { connect: () => openStorage(`fs:${folder.path}/data`), clean: folder.remove };
});

describe("files driver", () => {
  it("leaves no temporary file behind and does not list one that a crash left", async () => {
    const folder = await folderOnDisk();
    const storage = await openStorage(`fs:${folder.path}`);
    await storage.create(["a", "b"], "1");
    await storage.create(["a", "b"], "2");
    await storage.put(["a", "c"], "1");
    expect((await readdir(join(folder.path, "a"))).sort()).toEqual(["b.json", "c.json"]);
    await writeFile(join(folder.path, "a", ".d.json.crashed-0.tmp"), "{");
    const names: string[] = [];
    for await (const segment of storage.children(["a"])) names.push(segment.text);
    expect(names.sort()).toEqual(["b", "c"]);
    await folder.remove();
  });

  it("creates values of one text that nobody waits for as links to one file, and goes on without that file", async () => {
    const folder = await folderOnDisk();
    const [one, other] = await Promise.all([1, 2].map(() => openStorage(`fs:${folder.path}/data`)));
    const create = (storage: Storage, name: string, text = "same"): Promise<boolean> =>
      storage.create(["a", name, "turn"], text, { later: true });
    const inode = async (name: string): Promise<number> =>
      (await stat(join(folder.path, "data/a", name, "turn.json"))).ino;
    expect(await create(one!, "b")).toBe(true);
    expect(await Promise.all([create(one!, "c"), create(one!, "d"), create(other!, "e")])).toEqual([true, true, true]);
    expect(await create(other!, "b")).toBe(false);
    expect(await inode("e")).toBe(await inode("b"));

    await one!.put(["a", "c", "turn"], "changed");
    expect(await create(one!, "f", "another")).toBe(true);
    await rm(join(folder.path, "data/.shared"));
    await rm(join(folder.path, "data/a/d"), { recursive: true });
    expect(await create(other!, "d")).toBe(true);
    const texts = await one!.getMany(["b", "c", "d", "e", "f"].map((name) => ["a", name, "turn"]));
    expect(texts).toEqual(["same", "changed", "same", "same", "another"]);
    expect(await collect(one!.keys([]))).toHaveLength(5);
    await folder.remove();
  });

  it.skipIf(process.geteuid?.() !== 0)("gives what root writes to the owner of the storage", async () => {
    const folder = await folderOnDisk();
    const ownersBelow = async (path: string): Promise<string[]> => {
      const names = await readdir(path, { recursive: true });
      const found = await Promise.all(["", ...names].map((name) => stat(join(path, name))));
      return Array.from(new Set(found.map(({ uid, gid }) => `${uid}:${gid}`)));
    };
    await chown(folder.path, 4711, 4712);
    const storage = await openStorage(`fs:${folder.path}/data`); // A folder that is new belongs to the one above it.
    await identifyStorage(storage, { expected: undefined, create: true });
    await new Stream(storage, ["users", "u1", "ledger"], z.string()).append(0, "1");
    await storage.create(["users", "u1", "turn"], "same", { later: true });
    await storage.put(["users", "u1", "profile"], "1");
    expect(await ownersBelow(folder.path)).toEqual(["4711:4712"]);
    expect((await readdir(join(folder.path, "data/users"))).filter((name) => name !== "u1")).toEqual([]);

    // The folder of a volume may belong to somebody else than the user of the storage on it.
    await chown(join(folder.path, "data"), 4713, 4713);
    await (await openStorage(`fs:${folder.path}/data`)).put(["users", "u2", "profile"], "1");
    expect(await ownersBelow(join(folder.path, "data/users"))).toEqual(["4711:4712"]);
    await folder.remove();
  });

  it.skipIf(process.geteuid?.() !== 0)("writes nothing that the user of the storage could not read", async () => {
    const folder = await folderOnDisk();
    const path = `${folder.path}/data`;
    const storage = await openStorage(`fs:${path}`);
    await identifyStorage(storage, { expected: undefined, create: true });
    for (const name of ["", "..", "ready", "ready/identity.json"]) await chmod(join(path, name), 0o777);
    await chown(join(path, "ready/identity.json"), 4711, 4711);
    process.seteuid!(4712);
    try {
      const written = (await openStorage(`fs:${path}`)).put(["users", "u1", "profile"], "1");
      await expect(written).rejects.toThrow("EPERM");
    } finally {
      process.seteuid!(0);
    }
    expect((await readdir(path)).sort()).toEqual(["ready"]);
    await folder.remove();
  });

  it("lists no foreign file or folder as a key", async () => {
    const folder = await folderOnDisk();
    const storage = await openStorage(`fs:${folder.path}`);
    await storage.put(["users", "alice", "profile"], "1");
    await storage.put(["users", "~odd name", "profile"], "1");
    for (const place of ["", "users/", "users/alice/"]) {
      const at = join(folder.path, place);
      const names = [".DS_Store", "backup~", ".x.tmp", "a", "json", ".json", "Copy of b.json", "a:b.json", "~0.json"];
      for (const name of names) await writeFile(join(at, name), "{}");
      for (const name of ["lost+found", "c.json", "d:e"]) {
        await mkdir(join(at, name));
        await writeFile(join(at, name, "profile.json"), "{}");
      }
    }
    const users = (await collect(storage.children(["users"]))).map(decodeSegment);
    expect(users.toSorted()).toEqual(["alice", "~odd name"]);
    expect(await collect(storage.children(["users", "alice"]))).toMatchObject([{ text: "profile" }]);
    for (const kind of [undefined, "profile"]) {
      const keys = (await collect(storage.keys(["users"], kind))).map((key) => key.map(decodeSegment).join("/"));
      expect(keys.toSorted()).toEqual(["users/alice/profile", "users/~odd name/profile"]);
    }
    expect(await collect(storage.keys([]))).toHaveLength(2);
    await folder.remove();
  });

  it("lets others have their turn while many small values are read", async () => {
    const folder = await folderOnDisk();
    const storage = await openStorage(`fs:${folder.path}`);
    await storage.put(["a", "b"], "1");
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    for (let read = 0; read < 5000; read++) await storage.get(["a", "b"]);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
    await folder.remove();
  });

  it("sweeps temporary files that were left a day ago, and neither younger ones nor values", async () => {
    const folder = await folderOnDisk();
    const storage = await openStorage(`fs:${folder.path}`);
    await storage.put(["a", "b", "c"], "1");
    await storage.put(["a", ".odd.tmp"], "1");
    const left = [".x.json.crashed-0.tmp", "a/.y.json.crashed-1.tmp", "a/b/.z.json.crashed-2.tmp"];
    for (const name of left) await writeFile(join(folder.path, name), "{");
    expect(await storage.tidy(Date.now())).toBe(0);
    const tomorrow = Date.now() + 25 * 3600 * 1000;
    expect(await storage.tidy(tomorrow, AbortSignal.abort())).toBe(0);
    expect(await storage.tidy(tomorrow)).toBe(3);
    expect(await storage.get(["a", "b", "c"])).toBe("1");
    expect(await storage.get(["a", ".odd.tmp"])).toBe("1");
    expect((await readdir(folder.path, { recursive: true })).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    await folder.remove();
  });

  it.skipIf(process.platform !== "linux")(
    "reports where no folder can be made instead of trying for ever",
    async () => {
      for (const path of ["/proc/anp-test", "/proc/anp-test/below"]) {
        const storage = await openStorage(`fs:${path}`);
        const failure = storage.put(["a", "b"], "1");
        await expect(failure).rejects.toThrow(StorageError);
        await expect(failure).rejects.toThrow("ENOENT: no such file or directory, mkdir");
        expect(await storage.examine(0)).toMatchObject([{ level: "error" }]);
      }
    },
  );

  it("names the remedy for a full disk, and another one for a folder that cannot be written", async () => {
    const folder = await folderOnDisk();
    const { trap, remove } = trapFiles(folder.path);
    const storage = await openStorage(`fs:${folder.path}`);
    trap.arm(1, "torn from then on");
    const [full] = await storage.examine(0);
    remove();
    expect(full).toMatchObject({ unusable: true, remedy: "Make room on the disk." });
    expect(full!.message).toMatch(/: ENOSPC: made to fail, [\w ]+\.$/);
    for (const [message, remedy] of [
      [
        "EROFS: read-only file system, open '/data/..examination-1.tmp'",
        "Mount the file system of the storage for writing.",
      ],
      ["EACCES: permission denied, open '/data/..examination-1.tmp'", "Run anp as the owner of the storage's folder"],
    ] as const) {
      const stop = interceptFileCalls(({ path }) => {
        return path.startsWith(folder.path) ? { error: new Error(message), runs: false } : undefined;
      });
      const [refused] = await storage.examine(0);
      stop();
      expect(refused).toMatchObject({ unusable: true, remedy: expect.stringContaining(remedy) as string });
      expect(refused!.message).not.toContain("examination");
    }
    await folder.remove();
    const [gone] = await (await openStorage("fs:/proc/anp-test")).examine(0);
    expect(gone!.remedy).toContain("hard links");
  });

  it("confirms a value by syncing its name, and those of the folders that its writer may not have synced", async () => {
    const folder = await folderOnDisk();
    const base = await realpath(folder.path);
    const writer = await openStorage(`fs:${base}`);
    await writer.create(["a", "b", "c"], "1");

    const synced: string[] = [];
    onTestFinished(
      interceptFileCalls(({ call, path }) => {
        if (call === "sync folder") synced.push(path.slice(base.length));
        return undefined;
      }),
    );
    const reader = await openStorage(`fs:${base}`);
    await reader.confirm(["a", "b", "c"], "1");
    expect(synced.toSorted()).toEqual(["", "/a", "/a/b"]);
    await reader.confirm(["a", "b", "c"], "1");
    expect(synced.slice(3)).toEqual(["/a/b"]);

    await expect(reader.confirm(["a", "b", "c"], "2")).rejects.toThrow(
      "Cannot confirm a/b/c: the key has another value",
    );
    await expect(reader.confirm(["a", "x", "c"], "1")).rejects.toThrow(StorageError);
    expect(await readdir(join(base, "a"))).toEqual(["b"]);
    await folder.remove();
  });

  it("acknowledges a value in new folders only once each of their names is safe, and tries again what failed", async () => {
    const folder = await folderOnDisk();
    const storage = await openStorage(`fs:${folder.path}`);
    await storage.put(["first"], "1");
    let synced: string[] = [];
    let failing = "/a";
    onTestFinished(
      interceptFileCalls(({ call, path }) => {
        if (call !== "sync folder") return undefined;
        const name = path.slice(folder.path.length);
        if (name !== failing) return void synced.push(name);
        return { error: Object.assign(new Error("made to fail"), { code: "EIO" }), runs: false };
      }),
    );
    await expect(storage.create(["a", "b", "c", "d"], "1")).rejects.toThrow("made to fail");
    [failing, synced] = ["none", []];
    // The folders are there by now: nothing but a sync tells whether their names are safe.
    expect(await storage.create(["a", "b", "c", "e"], "1")).toBe(true);
    expect(synced.toSorted()).toEqual(expect.arrayContaining(["", "/a", "/a/b", "/a/b/c"]));
    synced = [];
    await storage.create(["a", "b", "c", "f"], "1");
    expect(synced).toEqual(["/a/b/c"]);
    await folder.remove();
  });

  it("shares a folder's syncs among those who write to it at once, and acknowledges none whose sync failed", async () => {
    const folder = await folderOnDisk();
    const storage = await openStorage(`fs:${folder.path}`);
    const path = join(folder.path, "a");
    await storage.put(["a", "first"], "1");
    const syncs: { readonly names: string[]; readonly fails: boolean }[] = [];
    onTestFinished(
      interceptFileCalls((call) => {
        if (call.call !== "sync folder" || call.path !== path) return undefined;
        const fails = syncs.length % 2 === 1;
        syncs.push({ names: readdirSync(path), fails });
        return fails ? { error: Object.assign(new Error("made to fail"), { code: "EIO" }), runs: true } : undefined;
      }),
    );
    /** Whether a sync that failed, or one that did not, has begun since the name was there. */
    const seen = (name: string, fails: boolean): boolean =>
      syncs.some((sync) => sync.fails === fails && sync.names.includes(`${name}.json`));
    const names = Array.from({ length: 64 }, (_, number) => `n${number}`);
    const outcomes = names.map((name, number) =>
      (number % 2 === 0 ? storage.create(["a", name], "1") : storage.put(["a", name], "1")).then(
        () => expect(seen(name, false), name).toBe(true),
        (error: unknown) => {
          expect(error).toBeInstanceOf(StorageError);
          expect(seen(name, true), name).toBe(true);
          return "failed";
        },
      ),
    );
    const failed = (await Promise.all(outcomes)).filter((outcome) => outcome === "failed").length;
    expect(failed).toBeGreaterThan(0);
    expect(failed).toBeLessThan(names.length);
    expect(syncs.length).toBeLessThan(names.length / 2);

    // A lone one has a sync of its own, at once, also after one that failed.
    const before = syncs.length;
    const alone: string[] = [];
    for (const name of ["m0", "m1", "m2", "m3"]) {
      alone.push(
        await storage.create(["a", name], "1").then(
          () => "created",
          () => "failed",
        ),
      );
    }
    expect(syncs.length - before).toBe(4);
    expect(alone.filter((outcome) => outcome === "created")).toHaveLength(2);
    expect((await readdir(path)).filter((name) => !/^(first|[mn]\d+)\.json$/.test(name))).toEqual([]);
    await folder.remove();
  });

  it("lets nobody but its owner read", async () => {
    const folder = await folderOnDisk();
    const storage = await openStorage(`fs:${folder.path}/data`);
    await storage.create(["a", "b"], "1");
    await storage.put(["a", "c"], "1");
    for (const path of ["data", "data/a", "data/a/b.json", "data/a/c.json"]) {
      expect((await stat(join(folder.path, path))).mode & 0o077, path).toBe(0);
    }
    await folder.remove();
  });

  it("goes on after its folder was removed under it", async () => {
    const folder = await folderOnDisk();
    const storage = await openStorage(`fs:${folder.path}/data`);
    await storage.put(["a", "b"], "1");
    await folder.remove();
    await storage.put(["a", "b"], "2");
    expect(await storage.get(["a", "b"])).toBe("2");
    await folder.remove();
  });

  it("goes on where it made folders that have become empty, which were removed", async () => {
    const folder = await folderOnDisk();
    const [storage, pruner] = [await openStorage(`fs:${folder.path}`), await openStorage(`fs:${folder.path}`)];
    const dayOf = (on: Storage, day: string) => new Stream(on, ["events", day], z.number());
    expect(await dayOf(storage, "2026-11-20").append(0, 1)).toBe("created");
    await dayOf(pruner, "2026-11-20").removeAll(1);
    expect(await readdir(folder.path)).toEqual([]);
    expect(await dayOf(storage, "2026-11-21").append(0, 2)).toBe("created");
    expect(await dayOf(pruner, "2026-11-21").get(1)).toBe(2);
    await folder.remove();
  });

  it("names a key that cannot be written, and keeps the earlier value", async () => {
    const folder = await folderOnDisk();
    const storage = await openStorage(`fs:${folder.path}`);
    // A folder is where the value's file should be: fails for root too, where permissions would not.
    await mkdir(join(folder.path, "a", "b.json"), { recursive: true });
    await writeFile(join(folder.path, "a", "b.json", "x"), "");
    const failure = storage.put(["a", "b"], "1");
    await expect(failure).rejects.toThrow(StorageError);
    await expect(failure).rejects.toThrow("The stored value of a/b is damaged");
    expect(await readdir(join(folder.path, "a"))).toEqual(["b.json"]);
    await chmod(folder.path, 0o700);
    await folder.remove();
  });

  it("reports what cannot be listed", async () => {
    const folder = await folderOnDisk();
    const storage = await openStorage(`fs:${folder.path}/deep/down/data`);
    await storage.put(["a", "b"], "1");
    await writeFile(join(folder.path, "deep/down/data/users"), "");
    const failure = storage.children(["users"])[Symbol.asyncIterator]().next();
    await expect(failure).rejects.toThrow(StorageError);
    await expect(failure).rejects.toThrow("Cannot list users");
    await folder.remove();
  });

  it("loses nothing acknowledged and tears nothing when its process is killed at any moment", async () => {
    const folder = await folderOnDisk();
    const writer = join(inject("processes"), "killed-writer.js");
    for (let round = 0; round < 10; round++) {
      const child = spawn(process.execPath, [writer, folder.path, String(round)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let acknowledged = "";
      child.stdout.on("data", (chunk: Buffer) => {
        acknowledged += chunk.toString();
        if (acknowledged.length > 40 * (round + 1)) child.kill("SIGKILL");
      });
      await new Promise((resolve) => child.on("close", resolve));
      const storage = await openStorage(`fs:${folder.path}`);
      const lines = acknowledged.split("\n").slice(0, -1);
      expect(lines.length).toBeGreaterThan(1);
      for (const line of lines) {
        const { key, length } = JSON.parse(line) as { key: string; length: number };
        expect(await storage.get(["killed", String(round), key])).toHaveLength(length);
      }
      for await (const segment of storage.children(["killed", String(round)])) {
        const value = await storage.get(["killed", String(round), segment]);
        expect(value).toHaveLength(50_000);
      }
    }
    await folder.remove();
  });
});

describe("storage URLs", () => {
  it("refuses what it does not understand, with what it does", async () => {
    await expect(openStorage("mysql://x")).rejects.toThrow("Use fs:FOLDER, memory:, redis://");
    await expect(openStorage("./data")).rejects.toThrow(StorageAddressError);
    await expect(openStorage("fs:")).rejects.toThrow("needs a folder");
  });

  it("refuses a driver that cannot create atomically", () => {
    const driver = { ...memoryDriver(), createItem: undefined };
    expect(() => storageOnDriver("broken:", driver as never)).toThrow("createItem");
  });
});
