import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../runtime/logger.ts";
import type { LatestSnapshot } from "../snapshot/latest-snapshot.ts";
import type { RefreshMode, Snapshot, SnapshotContent } from "../snapshot/snapshot-document.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";
import type { RefreshLease } from "./refresh-lease.ts";

/** Pauses between looks at what another process is doing, ms: short at first. */
const PAUSE_MS = { first: 20, longest: 500 } as const;

/** The snapshot that a refresh resulted in. */
export interface Refreshed {
  readonly snapshot: Snapshot;
  /** Whether this process made it. */
  readonly isOwn: boolean;
}

/** Refreshes, usually one at a time over all processes on the storage. */
export interface SharedRefresh {
  /**
   * A snapshot newer than number `after`, of the mode `full` if that is wanted. This process makes it, unless another
   * one is at work: then it waits for that one's snapshot.
   *
   * @param after default: the newest snapshot at the time of the call
   * @throws StorageError when the storage fails; a failing source is recorded in the snapshot instead
   * @throws DOMException an AbortError, when it is closed meanwhile
   */
  run(mode: RefreshMode, after?: number): Promise<Refreshed>;
  /** Aborts what runs, so that other processes need not wait for it. */
  close(): Promise<void>;
}

export function createSharedRefresh(deps: {
  readonly store: SnapshotStore;
  readonly latest: LatestSnapshot;
  readonly lease: RefreshLease;
  readonly logger: Logger;
  /** Reads the sources and makes the next snapshot. */
  readonly build: (mode: RefreshMode, base: Snapshot | undefined, signal: AbortSignal) => Promise<SnapshotContent>;
}): SharedRefresh {
  const { store, latest, logger } = deps;
  const closing = new AbortController();
  const { signal } = closing;
  const running = new Set<Promise<unknown>>();

  /** Undefined when another process published first. */
  async function make(mode: RefreshMode, number: number, base: Snapshot | undefined): Promise<Snapshot | undefined> {
    const content = await deps.build(mode, base, signal);
    signal.throwIfAborted();
    const own = await store.publish(number, content);
    if (own !== undefined) await latest.accept(own);
    return own;
  }

  async function run(mode: RefreshMode, after: number | undefined): Promise<Refreshed> {
    let isWaiting = false;
    for (let pause: number = PAUSE_MS.first; ; pause = Math.min(pause * 2, PAUSE_MS.longest)) {
      signal.throwIfAborted();
      const lease = await deps.lease.take();
      try {
        // Looked for with the lease in hand: its last holder may just have published.
        const { number, snapshot } = await latest.look();
        after ??= number;
        if (snapshot !== undefined && answers(snapshot, mode, after, number)) return { snapshot, isOwn: false };
        const own = lease && (await make(mode, number, snapshot));
        if (own !== undefined) return { snapshot: own, isOwn: true };
      } finally {
        await lease?.release();
      }
      if (!isWaiting) logger.debug({ mode }, "another process refreshes the news; waiting for it");
      isWaiting = true;
      await sleep(pause, undefined, { signal });
    }
  }

  return {
    run(mode, after) {
      const mine = run(mode, after).finally(() => running.delete(mine));
      running.add(mine);
      return mine;
    },
    async close() {
      closing.abort();
      await Promise.allSettled(running);
    },
  };
}

/** Whether a refresh may result in a snapshot. One whose number is beyond the newest one was lost by the storage. */
function answers({ version, record }: Snapshot, mode: RefreshMode, after: number, newest: number): boolean {
  return version > after && version <= newest && (mode === "view" || record.mode === "full");
}
