import { Readable } from "node:stream";
import type { Driver } from "unstorage";
import memory from "unstorage/drivers/memory";
import type { StorageDriver } from "./driver.ts";
import { findingsOf } from "./health/finding.ts";
import FINDINGS from "./health/storage-findings.json" with { type: "json" };
import { encodedItem, LOOK_AHEAD } from "./keys.ts";

// The package's declarations of its drivers do not resolve under ES modules, so the type is given here.
const stockDriver = memory as () => Driver<undefined, Map<string, string>> &
  Required<Pick<Driver, "getItemRaw" | "setItemRaw">>;

/** Keeps everything in this process's memory: for tests and temporary daemons. */
export function memoryDriver(): StorageDriver {
  const stock = stockDriver();
  const map = stock.getInstance!();

  function laterItem(stem: string, end: number): number | undefined {
    const head = Number(map.get(`${stem}:head`));
    if (head > end) return head;
    for (let later = end + 1; later <= end + LOOK_AHEAD; later++) if (map.has(encodedItem(stem, later))) return later;
    return undefined;
  }

  return {
    ...stock,
    durable: false,
    createItem(key, value, predecessor) {
      if (map.has(key)) return Promise.resolve("conflict");
      if (predecessor !== undefined && !map.has(predecessor.key)) return Promise.resolve("gap");
      map.set(key, value);
      return Promise.resolve("created");
    },
    appendItem(stem, version, value, { first }) {
      const key = encodedItem(stem, version);
      if (map.has(key)) return Promise.resolve("conflict");
      if (version > 1 && !map.has(encodedItem(stem, version - 1))) return Promise.resolve("gap");
      if (laterItem(stem, version - 1) !== undefined) return Promise.resolve("hole");
      if (first !== undefined && (map.get(first.key) ?? first.value) !== first.value) return Promise.resolve("taken");
      if (first !== undefined) map.set(first.key, first.value);
      map.set(key, value).set(`${stem}:head`, String(version));
      return Promise.resolve("created");
    },
    laterItem,
    keys: (prefix) => Readable.from([...map.keys()].filter((key) => prefix === "" || key.startsWith(`${prefix}:`))),
    examine: () => Promise.resolve([findingsOf(FINDINGS)("memory")]),
  };
}
