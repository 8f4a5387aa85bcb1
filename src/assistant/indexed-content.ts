import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { JobError, type JobRunner } from "../compute/job-runner.ts";
import { batchesOf } from "../runtime/batches.ts";
import type { Logger } from "../runtime/logger.ts";
import type { MeaningRows } from "../language/thesaurus.ts";
import type { AssistantJobs } from "./jobs/assistant-jobs.ts";
import { keyOf, type Passage, type PassageChanges } from "./passage.ts";

/** Size of a batch of changes: about ten milliseconds of work, so that a question never waits long. */
const BATCH = { passages: 200, characters: 100_000 };
const shareOf = ({ text }: Passage): number => text.length / BATCH.characters;

/** Keeps a runner's index in step with the passages. Only changes are sent, in batches, between which questions are
 * answered; a worker that lost its index gets all passages again. */
export class IndexedContent {
  readonly #runner: JobRunner<AssistantJobs>;
  readonly #logger: Logger;
  readonly #lexicon: MeaningRows;
  #index = 0;
  #sent = new Map<string, Passage>();
  #wanted: ReadonlyMap<string, Passage> = new Map();
  readonly #suspects = new Set<string>(); // Passages of a failed batch, which are sent one by one.
  /** Passages that could not be indexed, which are left out until they change. */
  readonly #refused = new Map<string, Passage>();
  #sending: Promise<void> | undefined;
  #whole: Promise<void> | undefined; // Settles when the index holds all passages wanted at its start.

  constructor(runner: JobRunner<AssistantJobs>, logger: Logger, lexicon: MeaningRows) {
    this.#runner = runner;
    this.#lexicon = lexicon;
    this.#logger = logger;
  }

  async learn(passages: readonly Passage[]): Promise<void> {
    this.#wanted = new Map(passages.map((passage) => [keyOf(passage), passage]));
    if (this.#whole === undefined) await this.#begin();
    else await this.#send();
  }

  /** Runs a job on the index. If the index was lost, rebuilds it and runs the job once more. */
  async on<T>(run: (index: number) => Promise<T | undefined>): Promise<T> {
    await (this.#whole ?? this.#begin());
    const index = this.#index;
    const found = await run(index);
    if (found !== undefined) return found;
    if (index === this.#index) await this.#begin();
    else await this.#whole;
    const again = await run(this.#index);
    if (again === undefined) throw new JobError("timeout", "the index was lost again");
    return again;
  }

  #begin(): Promise<void> {
    this.#index += 1;
    this.#sent = new Map();
    this.#sending = undefined;
    const whole = this.#runner.run("begin", { index: this.#index, lexicon: this.#lexicon }).then(() => this.#send());
    this.#whole = whole;
    // A failure rejects only the current callers; the next call starts a new index.
    whole.catch(() => {
      if (this.#whole === whole) this.#whole = undefined;
    });
    return whole;
  }

  /** Sends the changes that are not sent yet, one call at a time; later changes are sent by the next call. */
  async #send(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
    this.#sending = this.#sendChanges(this.#index).finally(() => (this.#sending = undefined));
    await this.#sending;
  }

  async #sendChanges(index: number): Promise<void> {
    const wanted = this.#wanted;
    const removed = [...this.#sent.keys()].filter((key) => !wanted.has(key));
    const added: Passage[] = [];
    for await (const batch of batchesOf(wanted, BATCH.passages)) {
      for (const [key, passage] of batch) {
        if (![this.#sent, this.#refused].some((known) => isDeepStrictEqual(known.get(key), passage)))
          added.push(passage);
      }
      await setImmediate(); // comparing 10,000 takes 40 ms
    }
    for await (const keys of batchesOf(removed, BATCH.passages)) {
      if (!(await this.#sendBatch(index, { removed: keys, added: [] }))) return;
    }
    const [sound, suspect] = [false, true].map((is) => added.filter((one) => this.#suspects.has(keyOf(one)) === is));
    for await (const batch of batchesOf(sound!, BATCH.passages, shareOf)) {
      if (!(await this.#sendBatch(index, { removed: [], added: batch }))) return;
    }
    for (const one of suspect!) if (!(await this.#sendBatch(index, { removed: [], added: [one] }))) return;
  }

  /** Returns false if the index is lost; the next question rebuilds it. */
  async #sendBatch(index: number, batch: PassageChanges): Promise<boolean> {
    const isHeld = await this.#runner.run("change", { index, ...batch }).catch((error: unknown) => {
      if (!(error instanceof JobError)) throw error;
      this.#suspect(batch.added, error);
      return false;
    });
    if (!isHeld || index !== this.#index) return false;
    for (const key of batch.removed) this.#sent.delete(key);
    for (const passage of batch.added) this.#sent.set(keyOf(passage), passage);
    return true;
  }

  #suspect(added: readonly Passage[], error: JobError): void {
    for (const passage of added) {
      const key = keyOf(passage);
      if (added.length > 1) this.#suspects.add(key);
      else {
        this.#refused.set(key, passage);
        this.#logger.error({ passage: key, error: error.message }, "a passage cannot be indexed; it is left out");
      }
    }
  }
}
