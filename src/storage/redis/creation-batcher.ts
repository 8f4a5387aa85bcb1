import type { CreateOutcome } from "../storage.ts";
import type { Creation } from "./redis-scripts.ts";

/** Makes several creations at once: the outcome of each, or its error. */
export type MakeCreations = (creations: readonly Creation[]) => Promise<(CreateOutcome | Error)[]>;

/** The most creations of one script call, and the most text of their values, in UTF-16 code units. */
const MAX_CREATIONS = 128;
const MAX_TEXT = 1_000_000;
/** With fewer in flight than this, nothing is sent early. */
const MIN_IN_FLIGHT = 16;

interface Request {
  readonly creation: Creation;
  readonly resolve: (outcome: CreateOutcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Batches the creations of one turn of the event loop: reading a command, syncing and replying are then done once per
 * batch, here and in the server. With 200 callers this halves the processor time of a creation. When many callers
 * create in a loop, one half is answered while the other prepares: a batch is sent early once it is half as large as
 * what was in flight last.
 */
export class CreationBatcher {
  readonly #make: MakeCreations;
  #waiting: Request[] = [];
  #isTurnEndScheduled = false;
  #inFlight = 0;
  /** A batch of this size is sent without waiting for the end of the turn; once per turn. */
  #earlySize = Infinity;
  #hasSentEarly = false;

  constructor(make: MakeCreations) {
    this.#make = make;
  }

  create(creation: Creation): Promise<CreateOutcome> {
    return new Promise((resolve, reject) => {
      this.#scheduleTurnEnd();
      this.#waiting.push({ creation, resolve, reject });
      if (this.#waiting.length < this.#earlySize || this.#hasSentEarly) return;
      this.#hasSentEarly = true;
      this.#sendWaiting();
    });
  }

  #scheduleTurnEnd(): void {
    if (this.#isTurnEndScheduled) return;
    this.#isTurnEndScheduled = true;
    setImmediate(() => {
      this.#isTurnEndScheduled = false;
      this.#hasSentEarly = false;
      this.#sendWaiting();
    });
  }

  #sendWaiting(): void {
    const batches = batchesOf(this.#waiting);
    this.#waiting = [];
    for (const batch of batches) void this.#send(batch);
  }

  async #send(batch: readonly Request[]): Promise<void> {
    this.#inFlight += batch.length;
    const outcomes = await this.#make(batch.map(({ creation }) => creation)).catch((error: unknown) =>
      batch.map(() => error as Error),
    );
    this.#earlySize = this.#inFlight < MIN_IN_FLIGHT ? Infinity : Math.ceil(this.#inFlight / 2);
    this.#inFlight -= batch.length;
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index]!;
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }
  }
}

/** As many together as one call takes. */
function batchesOf(requests: readonly Request[]): Request[][] {
  const batches: Request[][] = [];
  let text = 0;
  for (const request of requests) {
    const { length } = request.creation.value;
    const last = batches.at(-1);
    if (last === undefined || last.length === MAX_CREATIONS || text + length > MAX_TEXT) {
      batches.push([request]);
      text = length;
    } else {
      last.push(request);
      text += length;
    }
  }
  return batches;
}
