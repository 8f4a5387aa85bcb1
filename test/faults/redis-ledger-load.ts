import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { createUsers } from "../../src/accounts/users.ts";
import type { Entry } from "../../src/ledger/entry.ts";
import { createLedger, type Ledger } from "../../src/ledger/ledger.ts";
import type { PostResult } from "../../src/ledger/user-ledger.ts";
import { verifyLedger } from "../support/verify-ledger.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { isOutage, type Storage } from "../../src/storage/storage.ts";
import { until } from "../support/until.ts";
import { soak } from "./load/options.ts";

/** Clients that post to ledgers, each on a ledger of its own as in a process of its own. */
export interface LedgerLoad {
  /** The entry that each acknowledged operation was answered with, by `user operation`. */
  readonly acknowledged: ReadonlyMap<string, Entry>;
  /** Operations that got no answer but a storage error. */
  readonly unanswered: ReadonlySet<string>;
  /** How many tries ended with a storage error. */
  refused(): number;
  /** The longest time that a try took to end, ms. */
  longest(): number;
  /** Lets every client end its operation, and waits for that. */
  stop(): Promise<void>;
}

/** How the clients go about it. */
export interface LoadOptions {
  /** One connection a client; a storage may serve several. */
  readonly storages: readonly Storage[];
  readonly users: readonly string[];
  readonly clients: number;
  /** Whether an operation that failed is sent again, with its id, until it is answered. */
  readonly again: boolean;
}

/** How long a client waits for its next operation, ms: those of a short run leave the processor to other tests. */
const PAUSE_MS = soak === undefined ? 10 : 0;

const quotaRules = createQuotaRules("+08:00");

/** The ledger of one process. */
export function ledgerOn(storage: Storage): Ledger {
  return createLedger({ storage, clock: systemClock, quotaRules });
}

/** Makes sure that the users are there. */
export async function addUsers(storage: Storage, names: readonly string[]): Promise<void> {
  const users = createUsers({ storage, clock: systemClock, ttl_ms: 0 });
  // A replica on a busy machine may confirm too late: it is no part of what is tested.
  const added = (name: string): Promise<true | undefined> =>
    users.create(name, {}).then(
      () => true,
      (error: unknown) => {
        if (!isOutage(error)) throw error;
        return undefined;
      },
    );
  for (const name of names) await until(`${name} was added`, () => added(name));
}

/** Gives a user one point. An operation with an origin may be repeated. */
export function giveOnePoint(ledger: Ledger, user: string, id: string, repeatable: boolean): Promise<PostResult> {
  return ledger.post(user, {
    operation: { id, request: { id }, ...(repeatable && { origin: { in: "header", path: "Idempotency-Key" } }) },
    command: { type: "adjust", delta: 1, reason: "load", actor: "test" },
    ref_id: id,
    lang: "en",
  });
}

/** Starts the clients; they end with the test. Any failure but that of a storage fails `stop`. */
export function startLedgerLoad({ storages, users, clients, again }: LoadOptions): LedgerLoad {
  const ledgers = storages.map(ledgerOn);
  const acknowledged = new Map<string, Entry>();
  const unanswered = new Set<string>();
  let longest = 0;
  let refused = 0;
  let stopped = false;
  let abandoned = false;
  onTestFinished(() => {
    stopped = true;
    abandoned = true;
  });

  /** Whether the operation was answered. */
  async function attempt(ledger: Ledger, user: string, id: string): Promise<boolean> {
    const start = performance.now();
    try {
      const { entry } = await giveOnePoint(ledger, user, id, again);
      acknowledged.set(`${user} ${id}`, entry);
      return true;
    } catch (error) {
      if (!isOutage(error)) throw error;
      refused++;
      return false;
    } finally {
      longest = Math.max(longest, performance.now() - start);
    }
  }

  async function client(number: number): Promise<void> {
    const ledger = ledgers[number % ledgers.length]!;
    for (let step = 0; !stopped; step++) {
      const user = users[(number + step) % users.length]!;
      const id = `op-${number}-${step}`;
      let answered = await attempt(ledger, user, id);
      while (!answered && again && !abandoned) answered = await attempt(ledger, user, id);
      if (!answered) unanswered.add(`${user} ${id}`);
      if (PAUSE_MS > 0) await setTimeout(PAUSE_MS);
    }
  }

  const running = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  // A failure is reported when the load is stopped.
  running.catch(() => undefined);
  return {
    acknowledged,
    unanswered,
    refused: () => refused,
    longest: () => longest,
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}

/** What became of a load's operations. */
export interface Outcome {
  readonly entries: number;
  /** Acknowledged operations whose entry is not there as it was answered. */
  readonly lost: readonly string[];
  /** Operations with more than one entry. */
  readonly doubled: readonly string[];
  /** What verification found wrong, by user. */
  readonly faults: readonly string[];
}

/** Compares the ledgers with the replies that the clients got. */
export async function outcomeOf(
  storage: Storage,
  users: readonly string[],
  acknowledged: ReadonlyMap<string, Entry>,
): Promise<Outcome> {
  const ledger = ledgerOn(storage);
  const found = new Map<string, string>();
  const doubled: string[] = [];
  const faults: string[] = [];
  let entries = 0;
  for (const user of users) {
    const { damage } = await verifyLedger(storage, user);
    if (damage !== undefined) faults.push(`${user}: ${damage.message}`);
    for await (const entry of ledger.entries(user)) {
      const name = `${user} ${entry.operation.id}`;
      if (found.has(name)) doubled.push(name);
      found.set(name, entry.hash);
      entries++;
    }
  }
  const lost = [...acknowledged].filter(([name, { hash }]) => found.get(name) !== hash).map(([name]) => name);
  return { entries, lost, doubled, faults };
}
