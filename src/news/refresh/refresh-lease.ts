import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { checkDocument } from "../../storage/documents.ts";
import { catchOutage, StorageError, type Key } from "../../storage/storage.ts";
import type { SnapshotDeps } from "../snapshot/latest-snapshot.ts";

const KEY: Key = ["news", "refresh-lease"];

const RENEWALS = 3; // Renewals within the duration of a lease.
const TAKEOVER_MS = 250; // How long a takeover may be overwritten by another one, ms.

const leaseDocument = z.object({ holder: z.string(), at_ms: z.int(), lease_ms: z.number() });

interface LeaseDeps extends Pick<SnapshotDeps, "storage" | "clock" | "logger" | "monotonic"> {
  readonly holder: string; // Identifies this process among all others.
  readonly leaseMs: number; // Validity of a lease without renewal, ms.
  readonly longestMs: number; // Maximum time for which a lease is renewed, ms.
}

/** Keeps other processes from refreshing at the same time. Best effort: after a takeover two processes may believe that
 * they hold it. Only {@link SnapshotStore.publish} decides which of them publishes. */
export function createRefreshLease(deps: LeaseDeps) {
  const { storage, clock, monotonic, holder, leaseMs } = deps;
  let watched: { readonly text: string; readonly since: number } | undefined;

  const text = (): string => JSON.stringify({ holder, at_ms: clock.now(), lease_ms: leaseMs });

  /** Whether another process holds the lease. Clocks may differ, so the time without a renewal counts as well. */
  function isHeld(stored: string): boolean {
    if (watched?.text !== stored) watched = { text: stored, since: monotonic() };
    const lease = parseLease(stored);
    if (lease === undefined || lease.holder === holder) return false;
    if (clock.now() < lease.at_ms + lease.lease_ms && monotonic() < watched.since + lease.lease_ms) return true;
    deps.logger.warn({ holder: lease.holder }, "a process that refreshes the news gives no sign of life; taking over");
    return false;
  }

  const isOwn = async (): Promise<boolean> => parseLease(await storage.get(KEY))?.holder === holder;

  function hold(): () => Promise<void> {
    const started = monotonic();
    let renewing = Promise.resolve();
    const renew = async (): Promise<void> => {
      if (monotonic() - started < deps.longestMs && (await isOwn())) await storage.put(KEY, text());
    };
    // A lease that cannot be renewed or released expires.
    const timer = setInterval(() => {
      renewing = catchOutage(renewing.then(renew), () => undefined);
    }, leaseMs / RENEWALS).unref();
    return async () => {
      clearInterval(timer);
      await renewing;
      if (await catchOutage(isOwn(), () => false)) await catchOutage(storage.remove(KEY), () => undefined);
    };
  }

  /** Takes the lease and returns its release function; undefined while another live process holds it. */
  return async () => {
    const stored = await storage.get(KEY);
    if (stored === undefined) return (await storage.create(KEY, text())) ? hold() : undefined;
    if (isHeld(stored)) return undefined;
    await storage.put(KEY, text());
    // All waiting processes see the lease expire at the same time; the last one to write holds it.
    await sleep(TAKEOVER_MS);
    return (await isOwn()) ? hold() : undefined;
  };
}

/** Undefined for a damaged lease, which is ignored. */
function parseLease(stored: string | undefined): z.infer<typeof leaseDocument> | undefined {
  const lease = checkDocument(KEY, stored, leaseDocument);
  return lease instanceof StorageError ? undefined : lease;
}
