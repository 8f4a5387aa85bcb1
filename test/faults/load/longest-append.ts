import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createQuotaRules } from "../../../src/accounts/quota-rules.ts";
import { entry, ledgerKey, operationPointer } from "../../../src/ledger/entry.ts";
import { createLedger } from "../../../src/ledger/ledger.ts";
import type { PostResult } from "../../../src/ledger/user-ledger.ts";
import { collect } from "../../../src/runtime/batches.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { readDocument } from "../../../src/storage/documents.ts";
import { encodeKey } from "../../../src/storage/keys.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { Stream } from "../../../src/storage/stream.ts";

/** With so many entries, the next append indexes the last one, writes the hint of the head, then creates its entry. */
export const ENTRIES = 64;

/** A ledger before the append that takes the most steps. Each entry is one point. */
export interface LongestAppend {
  readonly user: string;
  /** Appends, or finds what the key made before, as a process that has just started on `through`. */
  readonly post: (key: string, through?: Storage) => Promise<PostResult>;
  /** Takes the last entry away, with all that came with it, and the operation of the one before out of the index. */
  readonly rewind: () => Promise<void>;
}

export async function prepareLongestAppend(storage: Storage, user: string): Promise<LongestAppend> {
  const connect = (through: Storage) =>
    createLedger({ storage: through, clock: systemClock, quotaRules: createQuotaRules("+08:00") });
  const postTo = (ledger: ReturnType<typeof connect>, key: string): Promise<PostResult> =>
    ledger.post(user, {
      operation: { id: `key:${key}`, request: { key }, origin: { in: "header", path: "Idempotency-Key" } },
      command: { type: "adjust", delta: 1, reason: "step", actor: "bench" },
      ref_id: key,
      lang: "en",
    });
  const ledger = connect(storage);
  for (let n = 1; n <= ENTRIES; n++) await postTo(ledger, String(n));
  await ledger.settled();
  const prepared: LongestAppend = {
    user,
    async post(key, through = storage) {
      const own = connect(through);
      const posted = await postTo(own, key);
      await own.settled();
      return posted;
    },
    async rewind() {
      await storage.remove(new Stream(storage, ledgerKey(user), entry).keyOf(ENTRIES + 1));
      const head = [...ledgerKey(user), "head"];
      if (storage.url.startsWith("fs:")) {
        const folder = `${encodeKey(ledgerKey(user)).replaceAll(":", "/")}/0`;
        await rm(join(storage.url.slice(3), folder, ".last"), { force: true });
        await storage.remove(head);
      } else await storage.put(head, String(ENTRIES));
      for (const key of await collect(storage.keys(["users", user, "operations"]))) {
        const pointer = await readDocument(storage, key, operationPointer);
        if (pointer!.entry >= ENTRIES) await storage.remove(key);
      }
    },
  };
  await prepared.rewind();
  return prepared;
}
