import { Readable } from "node:stream";
import type { Driver } from "unstorage";
import memory from "unstorage/drivers/memory";
import type { StorageDriver } from "./driver.ts";

// The package's declarations of its drivers do not resolve under ES modules, so the type is given here.
const stockDriver = memory as () => Driver<undefined, Map<string, string>> &
  Required<Pick<Driver, "getItemRaw" | "setItemRaw">>;

/** Keeps everything in this process's memory: for tests and temporary daemons. */
export function memoryDriver(): StorageDriver {
  const stock = stockDriver();
  const map = stock.getInstance!();
  return {
    ...stock,
    durable: false,
    createItem(key, value) {
      if (map.has(key)) return Promise.resolve(false);
      map.set(key, value);
      return Promise.resolve(true);
    },
    createItemAfter(key, value, predecessor) {
      if (map.has(key)) return Promise.resolve("conflict");
      if (!map.has(predecessor.key)) return Promise.resolve("gap");
      map.set(key, value);
      return Promise.resolve("created");
    },
    children(prefix) {
      const start = prefix === "" ? "" : `${prefix}:`;
      const below = [...map.keys()].filter((key) => key.startsWith(start));
      return Readable.from(new Set(below.map((key) => key.slice(start.length).split(":", 1)[0]!)));
    },
    keys(prefix) {
      const start = prefix === "" ? "" : `${prefix}:`;
      return Readable.from([...map.keys()].filter((key) => key.startsWith(start)));
    },
    examine: () =>
      Promise.resolve([
        {
          level: "warning",
          subject: "durability",
          message: "Everything is kept in this process's memory.",
          loses: "everything, when the process ends",
          remedy: "Use --storage fs:FOLDER or redis://HOST:PORT for data that must last.",
        },
      ]),
  };
}
