import type { RateGroup } from "../../contract/endpoints.ts";
import { AnpError } from "../../contract/errors.ts";
import type { OnRefused } from "./concurrency-limits.ts";

// Reads are not shed: they come from memory, and a refusal would cost as much.
/** The groups that queue for CPU or disk, with the initial estimate of the mean interval between completions, ms. */
const INTERVALS = { chat: 7, points: 1, events: 1 } satisfies Partial<Record<RateGroup, number>>;
const FEW = 8; // Below this, nothing is shed, and intervals measure latency, not throughput.
const BUSY_SHARE = 0.75; // Share of the longest wait for callers who have other requests running.
/** Time constant of the moving average, and the longest interval that counts: idle time is no trend. In ms. */
const AVERAGED_MS = 2000;
const MAX_PAUSE_MS = 5000;
const RETRY_MS = { min: 1000, max: 10_000 }; // Bounds of Retry-After, ms.

/** The running requests of a group, and a decaying count of completions and of the time that they took. */
interface Queue {
  running: number;
  ended: number;
  ms: number;
  since: number; // When the last one ended, or the first one began after a pause.
  again: number; // Retry time given to the last refused caller.
}

type Options = { wait_ms: number; hasModel?: boolean; refused?: OnRefused };

/** Sheds load by Little's law: the expected wait is the running requests times the mean interval between completions.
 * @param wait_ms longest accepted wait, ms; 0 for no limit @param now a monotonic clock, ms
 * @param hasModel whether questions wait for a model: that is not queueing, so chat is never shed */
export function createLoadShedder({ wait_ms, hasModel = false, refused }: Options, now = () => performance.now()) {
  const queues = new Map<string, Queue>();
  for (const [group, interval] of Object.entries(INTERVALS)) {
    if (group === "chat" && hasModel) continue;
    queues.set(group, { running: 0, ended: AVERAGED_MS / interval, ms: AVERAGED_MS, since: 0, again: 0 });
  }

  /** @param own requests of the same user, this one included: a user with several is refused first
   * @param waited how long it has waited already, ms
   * @throws AnpError 429 with `Retry-After` when it would wait longer than `wait_ms` */
  function check(group: RateGroup, own: number, waited: number): void {
    const queue = queues.get(group);
    if (queue === undefined || queue.running < FEW || wait_ms === 0) return;
    const interval = queue.ms / queue.ended;
    const wait = waited + queue.running * interval;
    if (wait <= (own > 1 ? wait_ms * BUSY_SHARE : wait_ms)) return;
    refused?.("wait");
    // Retries are spread at the rate of completions: if all came together, most would be refused again.
    const at = now();
    const soonest = at + Math.max(RETRY_MS.min, wait - wait_ms);
    queue.again = Math.min(Math.max(queue.again + interval, soonest), at + RETRY_MS.max);
    const after = String(Math.ceil((queue.again - at) / 1000));
    throw new AnpError(429, `The service is busy. Try again in ${after} s.`, { headers: { "retry-after": after } });
  }

  return {
    check,
    /** As `check`; counts the request as running until the returned function is called. Undefined if it does not queue. */
    begin(group: RateGroup, own: number, waited: number): (() => void) | undefined {
      const queue = queues.get(group);
      if (queue === undefined) return undefined;
      check(group, own, waited);
      if (queue.running === 0) queue.since = now();
      queue.running++;
      return () => {
        const at = now();
        if (queue.running >= FEW) {
          // Requests may end in bursts, so times and counts are averaged separately.
          const passed = Math.min(at - queue.since, MAX_PAUSE_MS);
          const weight = Math.exp(-passed / AVERAGED_MS);
          queue.ms = queue.ms * weight + passed;
          queue.ended = queue.ended * weight + 1;
        }
        queue.since = at;
        queue.running--;
      };
    },
  };
}
