import { isDisabled, NEVER_FAILED } from "../sources/source-pacing.ts";
import type { Storage } from "../../storage/storage.ts";
import { parseSnapshot, printSnapshot } from "./snapshot-document.ts";
import { createSnapshotStore } from "./snapshot-store.ts";

/** Lets the next refresh ask a disabled source: publishes the newest snapshot again, which says so. A refresh that runs
 * meanwhile starts again.
 * @returns whether it was disabled */
export async function enableSource(storage: Storage, id: string): Promise<boolean> {
  const store = createSnapshotStore(storage, () => undefined);
  for (;;) {
    const number = await store.newestNumber();
    const newest = await store.readNewest(number, parseSnapshot);
    const state = newest?.record.sources.find((source) => source.id === id);
    if (newest === undefined || state === undefined || !isDisabled(state)) return false;
    const sources = newest.record.sources.map((one) => (one === state ? { ...one, ...NEVER_FAILED } : one));
    const text = printSnapshot({ ...newest, record: { ...newest.record, sources, partial: true } });
    if ((await store.publish(number, text)) !== undefined) return true;
  }
}
