import type { Clock } from "../../runtime/clock.ts";
import { isOutage } from "../../storage/storage-errors.ts";
import type { OnDamage, Snapshot, SnapshotStore, Top } from "./snapshot-store.ts";
import type { ClaimRecord, SnapshotContent, SnapshotRecord } from "./snapshot-record.ts";
import type { Parts } from "../items/stored-items.ts";

/** A claim is renewed so many times within its lease. */
const RENEWALS = 3;

/** An attempt is over before it came to its end: others may go on. Nothing of it is or will be published. */
export class AttemptLost extends Error {
  override readonly name = "AttemptLost";
}

/** One process's attempt to make the next snapshot. */
export interface Attempt {
  /** Aborted with an {@link AttemptLost} once nothing can be published any more. */
  readonly signal: AbortSignal;
  /**
   * Publishes, unless anything was appended to the stream by anybody else since the claim, or the claim ran out.
   *
   * @throws AttemptLost when it is not published, and never will be
   * @throws StorageError when the storage fails; it may then be published or not
   */
  publish(content: SnapshotContent, parts: Parts, base: Snapshot | undefined): Promise<Snapshot>;
  /** Lets others go on at once; nothing happens when the attempt is over. */
  giveUp(): Promise<void>;
}

export interface AttemptDeps {
  readonly store: SnapshotStore;
  readonly clock: Clock;
  readonly onDamage: OnDamage;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
  /** Tells this process's claims from all others'. */
  readonly holder: string;
  /** How long a claim stands without a further sign, in milliseconds. */
  readonly leaseMs: number;
  /** How long an attempt may take in all, in milliseconds. */
  readonly longestMs: number;
}

/**
 * Claims the next snapshot, at the very place where the stream ended: of several that try, one succeeds. The claim is
 * renewed while the process lives. One that was stopped for longer than its lease finds that out by its clocks; and
 * whatever it believes, its next append is refused once another has claimed.
 *
 * @returns undefined when somebody else appended first
 */
export async function beginAttempt(
  top: Top,
  mode: SnapshotRecord["mode"],
  deps: AttemptDeps,
): Promise<Attempt | undefined> {
  const { store, clock, monotonic, leaseMs } = deps;
  const name = `${top.version + 1}-${deps.holder.slice(0, 8)}`;
  const lost = new AbortController();
  let version = top.version;
  /** This attempt's last claim, number `version` of the stream. */
  let last: ClaimRecord | undefined;
  let sign = { at: clock.now(), seen: monotonic() };
  let isOver = false;

  /** Appends at the place that only this attempt knows to be the last. */
  async function sendSign(lease_ms: number): Promise<boolean> {
    const sent = { at: clock.now(), seen: monotonic() };
    const claim: ClaimRecord = { claim: name, mode, at_ms: sent.at, lease_ms, snapshot: top.snapshot };
    if (!(await store.append(version, claim, last))) return false;
    version += 1;
    last = claim;
    sign = sent;
    return true;
  }

  if (!(await sendSign(leaseMs))) return undefined;
  const started = sign.seen;

  function lose(reason: string): AttemptLost {
    const error = new AttemptLost(reason);
    isOver = true;
    clearInterval(timer);
    lost.abort(error);
    return error;
  }

  /** Both clocks, since either may stand still while the process does. */
  function hasRunOut(): boolean {
    return monotonic() - sign.seen >= leaseMs || clock.now() - sign.at >= leaseMs;
  }

  async function renew(): Promise<void> {
    if (isOver) return;
    if (monotonic() - started >= deps.longestMs) lose(`the refresh took longer than ${deps.longestMs} ms`);
    else if (hasRunOut()) lose("the claim ran out");
    else if (!(await sendSign(leaseMs))) lose("another process went on");
  }

  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    // An outage may be over by the next time; until then the claim runs out.
    renewing = renewing.then(renew).catch((error: unknown) => {
      if (!isOutage(error)) lose((error as Error).message);
    });
  }, leaseMs / RENEWALS).unref();

  /** Ends the renewals, so that nobody else appends in this attempt's name. */
  async function settle(): Promise<void> {
    clearInterval(timer);
    await renewing;
  }

  return {
    signal: lost.signal,
    async publish(content, parts, base) {
      await settle();
      lost.signal.throwIfAborted();
      if (hasRunOut()) throw lose("the claim ran out");
      // What only older snapshots name may be swept at any time, also by one who lost its claim and does not know yet.
      const newest = base?.version === top.snapshot ? base : undefined;
      let isReadable = newest !== undefined;
      const refs = await store.parts.write(name, parts, newest, (...damage) => {
        isReadable = false;
        deps.onDamage(...damage);
      });
      // The next attempt has another name; what stands under this one is swept as any lost attempt's.
      if (refs === undefined) throw lose(`another attempt ${name}, which is lost, left other parts`);
      const swept = await store.sweep(top, isReadable);
      const record: SnapshotRecord = { attempt: name, previous: top.snapshot, swept, ...content, parts: refs };
      if (hasRunOut() || !(await store.append(version, record, last))) {
        // No other attempt ever names what this one wrote.
        await store.parts.removeOf(name, []);
        throw lose("another process went on, or the claim ran out");
      }
      isOver = true;
      return { version: version + 1, record, parts };
    },
    async giveUp() {
      await settle();
      if (isOver) return;
      isOver = true;
      await sendSign(0);
    },
  };
}
