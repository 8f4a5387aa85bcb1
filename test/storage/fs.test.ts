import { spawn } from "node:child_process";
import { readlinkSync } from "node:fs";
import { chmod, mkdir, open, readdir, realpath, stat, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { StorageAddressError, StorageError } from "../../src/storage/storage-errors.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { storageOnDriver } from "../../src/storage/storage-on-driver.ts";
import { memoryDriver } from "../../src/storage/memory-driver.ts";
import { folderOnDisk } from "../support/folder.ts";
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

  it.skipIf(process.platform !== "linux")(
    "confirms a value by syncing its name, and those of the folders that its writer may not have synced",
    async () => {
      const folder = await folderOnDisk();
      const base = await realpath(folder.path);
      const writer = await openStorage(`fs:${base}`);
      await writer.create(["a", "b", "c"], "1");

      const handle = await open(base);
      const prototype = Object.getPrototypeOf(handle) as FileHandle;
      await handle.close();
      const synced: string[] = [];
      const sync = Reflect.get<FileHandle, "sync">(prototype, "sync");
      const watch = vi.spyOn(prototype, "sync").mockImplementation(function (this: FileHandle) {
        synced.push(readlinkSync(`/proc/self/fd/${this.fd}`).slice(base.length));
        return sync.call(this);
      });
      onTestFinished(() => {
        watch.mockRestore();
      });
      const reader = await openStorage(`fs:${base}`);
      await reader.confirm(["a", "b", "c"], "1");
      expect(synced).toEqual(["", "/a", "/a/b"]);
      await reader.confirm(["a", "b", "c"], "1");
      expect(synced.slice(3)).toEqual(["/a/b"]);

      await expect(reader.confirm(["a", "b", "c"], "2")).rejects.toThrow(
        "Cannot confirm a/b/c: the key has another value",
      );
      await expect(reader.confirm(["a", "x", "c"], "1")).rejects.toThrow(StorageError);
      expect(await readdir(join(base, "a"))).toEqual(["b"]);
      await folder.remove();
    },
  );

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
    const writer = join(import.meta.dirname, "killed-writer.js");
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
