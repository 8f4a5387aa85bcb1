import type { RateGroup } from "../../contract/endpoints.ts";
import { AnpError } from "../../contract/errors.ts";
import type { OnRefused } from "./concurrency-limits.ts";

// Reads come from memory: a refusal would cost as much.
/** The groups that queue for processor or disk, with the mean interval between ends that is assumed at first, ms. */
const INTERVALS = { chat: 7, points: 1, events: 1 } satisfies Partial<Record<RateGroup, number>>;
const FEW = 8; // So many are never too many. Fewer also say nothing of the throughput: their intervals are latencies.
const BUSY_SHARE = 0.75; // Share of the longest wait that is open to callers who have other requests running.
/** Time over which the interval is averaged, and the longest pause that counts, ms: a stop is not a trend. */
const AVERAGED_MS = 2000;
const LONGEST_PAUSE_MS = 5000;
const RETRY_MS = { least: 1000, most: 10_000 }; // A refused caller is asked to wait so long.

/** The requests of a group that run, and how many ended in how much time, older ones with less weight. */
interface Queue {
  running: number;
  ended: number;
  ms: number;
  since: number; // When the last one ended, or the first one began after a pause.
  again: number; // When the last one that was refused is asked to try again.
}

type Options = { wait_ms: number; hasModel?: boolean; refused?: OnRefused };

/** By Little's law, a new request waits for as long as those before it take: their number times the mean interval at
 * which they end while some are running.
 * @param wait_ms longest expected wait, ms; 0 for no limit
 * @param hasModel whether questions wait for a model: that time is not spent in a queue, and none is refused here
 * @param now a monotonic clock, ms */
export function createLoadShedder({ wait_ms, hasModel = false, refused }: Options, now = () => performance.now()) {
  const queues = new Map<string, Queue>();
  for (const [group, interval] of Object.entries(INTERVALS)) {
    if (group === "chat" && hasModel) continue;
    queues.set(group, { running: 0, ended: AVERAGED_MS / interval, ms: AVERAGED_MS, since: 0, again: 0 });
  }

  /** @param own requests of the same user, this one included: who has several is refused first
   * @param waited how long it has waited already, ms
   * @throws AnpError 429 with `Retry-After` when it would wait longer than `wait_ms` */
  function check(group: RateGroup, own: number, waited: number): void {
    const queue = queues.get(group);
    if (queue === undefined || queue.running < FEW || wait_ms === 0) return;
    const interval = queue.ms / queue.ended;
    const wait = waited + queue.running * interval;
    if (wait <= (own > 1 ? wait_ms * BUSY_SHARE : wait_ms)) return;
    refused?.("wait");
    // Refused callers come back at the rate at which requests end: together, most would be refused again.
    const at = now();
    const soonest = at + Math.max(RETRY_MS.least, wait - wait_ms);
    queue.again = Math.min(Math.max(queue.again + interval, soonest), at + RETRY_MS.most);
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
          // Requests may end in bursts, so times and counts are averaged apart.
          const passed = Math.min(at - queue.since, LONGEST_PAUSE_MS);
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
