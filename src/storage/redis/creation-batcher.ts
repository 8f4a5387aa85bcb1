import type { AppendItemOutcome } from "../driver.ts";
import type { Creation } from "./redis-scripts.ts";

/** The most creations of one script call, and the most text of their values, in UTF-16 code units. */
const MAX_CREATIONS = 128;
const MAX_TEXT = 1_000_000;
/** With fewer in flight than this, nothing is sent early. */
const MIN_IN_FLIGHT = 16;

interface Request {
  readonly creation: Creation;
  readonly resolve: (outcome: AppendItemOutcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Batches the creations of one turn of the event loop: reading a command, syncing and replying are then done once per
 * batch, here and in the server. With 200 callers this halves the processor time of a creation. When many callers
 * create in a loop, one half is answered while the other prepares: a batch is sent early once it is half as large as
 * what was in flight last.
 *
 * @param createAll makes several creations at once: the outcome of each, or its error
 */
export function createCreationBatcher(
  createAll: (creations: readonly Creation[]) => Promise<(AppendItemOutcome | Error)[]>,
): (creation: Creation) => Promise<AppendItemOutcome> {
  let waiting: Request[] = [];
  let inFlight = 0;
  /** A batch of this size is sent without waiting for the end of the turn; once per turn. */
  let earlySize = Infinity;
  let isTurnEndScheduled = false;
  let hasSentEarly = false;

  async function send(batch: readonly Request[]): Promise<void> {
    inFlight += batch.length;
    const outcomes = await createAll(batch.map(({ creation }) => creation)).catch((error: unknown) =>
      batch.map(() => error as Error),
    );
    earlySize = inFlight < MIN_IN_FLIGHT ? Infinity : Math.ceil(inFlight / 2);
    inFlight -= batch.length;
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index]!;
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }
  }

  function sendWaiting(): void {
    const batches = batchesOf(waiting);
    waiting = [];
    for (const batch of batches) void send(batch);
  }

  function scheduleTurnEnd(): void {
    if (isTurnEndScheduled) return;
    isTurnEndScheduled = true;
    setImmediate(() => {
      isTurnEndScheduled = false;
      hasSentEarly = false;
      sendWaiting();
    });
  }

  return (creation) =>
    new Promise((resolve, reject) => {
      scheduleTurnEnd();
      waiting.push({ creation, resolve, reject });
      if (waiting.length < earlySize || hasSentEarly) return;
      hasSentEarly = true;
      sendWaiting();
    });
}

function batchesOf(requests: readonly Request[]): Request[][] {
  const batches: Request[][] = [];
  let text = 0;
  for (const request of requests) {
    const { length } = request.creation.value;
    const last = batches.at(-1);
    const fits = last !== undefined && last.length < MAX_CREATIONS && text + length <= MAX_TEXT;
    if (fits) last.push(request);
    else batches.push([request]);
    text = fits ? text + length : length;
  }
  return batches;
}
