import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { AttemptLost, beginAttempt, type AttemptDeps } from "./attempt.ts";
import { type OnDamage, type Snapshot, type SnapshotStore, type Top } from "./snapshot-store.ts";
import type { ClaimRecord, SnapshotContent, SnapshotRecord } from "./snapshot-record.ts";
import type { Parts } from "../items/stored-items.ts";

export type RefreshMode = SnapshotRecord["mode"];

/** How often this process itself tries before it gives up, overtaken by others or too slow for its own claims. */
const ATTEMPTS = 10;
/** How often it is looked whether another process is done: soon at first, then every half second. */
const LOOK_MS = { first: 20, most: 500 } as const;

/** A snapshot that answers a refresh. */
export interface Refreshed {
  readonly record: SnapshotRecord;
  /** The snapshot, when this process made it; another process's is still to be read. */
  readonly own: Snapshot | undefined;
}

/** What a refresh makes: the content of the next snapshot, its parts, and the snapshot that it goes on from. */
export interface Built {
  readonly content: SnapshotContent;
  readonly parts: Parts;
  readonly base: Snapshot | undefined;
}

export interface RefreshesDeps extends Omit<AttemptDeps, "store"> {
  readonly store: SnapshotStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onDamage: OnDamage;
  /** Reads the sources; is told by `signal` when nobody wants the result any more. */
  readonly build: (mode: RefreshMode, top: Top, signal: AbortSignal) => Promise<Built>;
}

/** Refreshes, one at a time over all processes on the storage. */
export interface Refreshes {
  /**
   * A snapshot newer than number `after`, of the mode `full` if that is wanted. Made by this process, unless another is
   * at it: then its snapshot is waited for. One that gives no sign for the length of its lease is not waited for any
   * longer.
   *
   * @param after the newest snapshot there is, when left out
   * @throws StorageError when the storage fails; a failing source is recorded in the snapshot instead
   * @throws DOMException an AbortError, when it is closed meanwhile
   */
  run(mode: RefreshMode, after?: number): Promise<Refreshed>;
  /** Gives up what runs, so that other processes need not wait for it. */
  close(): Promise<void>;
}

export function createRefreshes(deps: RefreshesDeps): Refreshes {
  const { store, clock, logger, monotonic } = deps;
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();

  /** Whether it may still be worked under the claim. A clock may be wrong: how long it was watched counts as well. */
  function stands({ at_ms, lease_ms }: ClaimRecord, seen: number): boolean {
    return clock.now() < at_ms + lease_ms && monotonic() < seen + lease_ms;
  }

  /** Waits until the stream goes on, or until its last claim does not stand any more. */
  async function waitFor(top: Top, claim: ClaimRecord): Promise<Top> {
    const seen = monotonic();
    // What this process claimed before, it does no more.
    const isOver = claim.lease_ms === 0 || claim.claim.endsWith(`-${deps.holder.slice(0, 8)}`);
    if (isOver) return { ...top, claim: undefined };
    logger.debug({ claim: claim.claim }, "another process refreshes the news; waiting for it");
    for (let pause: number = LOOK_MS.first; stands(claim, seen); pause = Math.min(pause * 2, LOOK_MS.most)) {
      await sleep(pause, undefined, { signal: closing.signal });
      const now = await store.top(top);
      if (now.version !== top.version) return now;
    }
    logger.warn({ claim: claim.claim }, "a process that refreshes the news gives no sign of life; taking over");
    return { ...top, claim: undefined };
  }

  async function published(mode: RefreshMode, top: Top, after: number): Promise<SnapshotRecord | undefined> {
    for await (const { record } of store.records(top, after, deps.onDamage)) {
      if (mode === "view" || record.mode === "full") return record;
    }
    return undefined;
  }

  async function attempt(mode: RefreshMode, top: Top): Promise<Snapshot | undefined> {
    const mine = await beginAttempt(top, mode, deps);
    if (mine === undefined) return undefined;
    const signal = AbortSignal.any([mine.signal, closing.signal]);
    try {
      const { content, parts, base } = await unlessAborted(deps.build(mode, top, signal), signal);
      return await mine.publish(content, parts, base);
    } catch (error) {
      // What went wrong first is what is told; a claim that cannot be given up runs out.
      await mine.giveUp().catch(() => undefined);
      throw error;
    }
  }

  async function run(mode: RefreshMode, given: number | undefined): Promise<Refreshed> {
    let top = await store.top();
    const after = given ?? top.snapshot;
    for (let tried = 0; ;) {
      closing.signal.throwIfAborted();
      const record = await published(mode, top, after);
      if (record !== undefined) return { record, own: undefined };
      if (top.claim !== undefined) {
        top = await waitFor(top, top.claim);
        continue;
      }
      tried += 1;
      try {
        const own = await attempt(mode, top);
        if (own !== undefined) return { record: own.record, own };
        if (tried === ATTEMPTS) throw new AttemptLost(`other processes were first ${ATTEMPTS} times`);
      } catch (error) {
        if (!(error instanceof AttemptLost) || tried === ATTEMPTS) throw error;
      }
      // Looked for anew: what was known to be there may be lost, if the storage's server failed over.
      top = await store.top();
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

/** What `work` gives; once the signal is aborted, its reason is thrown instead, whatever becomes of the work. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
