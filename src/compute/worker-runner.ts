import { Worker } from "node:worker_threads";
import type { Logger } from "../runtime/logger.ts";
import { packageFile } from "../runtime/package-file.ts";
import { withTimeout } from "../runtime/with-timeout.ts";
import { createFairQueue } from "./fair-queue.ts";
import { JobError, timeoutError } from "./job-runner.ts";
import type { Input, JobObserver, JobRunner, Jobs, Output, RunOptions } from "./job-runner.ts";
import type { JobReply, JobRequest } from "./serve-jobs.ts";

const END_MS = 1000; // Longest wait for a worker's end before the next one starts, ms: native code may take long.
const RETRY_MS = 1000; // Pause after a worker that failed before it was ready, ms.
const YOUNG_MB = 8; // V8's young generation, MB: small, since most workers allocate it permanently.

export interface WorkerOptions {
  readonly name: string;
  readonly file: URL; // A module that calls `serveJobs`.
  readonly deadline_ms: number;
  readonly start_ms: number;
  readonly memory_mb: number; // V8's heap, MB. Buffers do not count.
  readonly young_mb?: number; // V8's young generation, MB. Default: 8.
  readonly idle_ms?: number; // Idle time until a worker is ended; the next job starts one. Default: never.
  readonly logger: Logger;
  readonly observer?: JobObserver | undefined;
}

/** The bundled entry file of a worker, also when the program runs from its sources. */
export const workerFile = (name: string): URL => packageFile(`dist/bundle/${name}.cjs`);

interface Task {
  readonly request: JobRequest;
  readonly since: number; // When it was submitted, by a monotonic clock.
  readonly options: RunOptions;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Runs jobs in one worker thread, which starts with the first job, round-robin over their callers. A worker that
 * exceeds a deadline or its memory is ended and replaced; only the job it was running fails. (Pools such as piscina and
 * tinypool share jobs among equal workers without state; here one worker keeps what its jobs need.) */
export class WorkerRunner<J extends Jobs> implements JobRunner<J> {
  readonly #options: WorkerOptions;
  readonly #waiting = createFairQueue<Task>();
  #running: Task | undefined;
  #worker: Worker | undefined;
  #isReady = false;
  #readySince = 0; // By a monotonic clock. Jobs cannot run before that.
  #restartAt = 0; // No worker is started before this instant, by a monotonic clock.
  #startFailure: JobError["failure"] = "failed"; // Why the last one did not start.
  #timer: NodeJS.Timeout | undefined; // Of the start, of the running job, or of idleness.
  #ending: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  pending(): number {
    return this.#waiting.size() + (this.#running === undefined ? 0 : 1);
  }

  async run<K extends keyof J & string>(name: K, input: Input<J, K>, options: RunOptions = {}): Promise<Output<J, K>> {
    const { signal, caller } = options;
    if (this.#isClosed || signal?.aborted === true) throw aborted();
    let abandon: () => void;
    const output = new Promise((resolve, reject) => {
      const task: Task = { request: { name, input }, since: performance.now(), options, resolve, reject };
      abandon = () => {
        this.#waiting.remove(task, caller);
        reject(aborted());
      };
      signal?.addEventListener("abort", abandon, { once: true });
      this.#waiting.push(task, caller);
      this.#next();
    });
    return (await output.finally(() => signal?.removeEventListener("abort", abandon))) as Output<J, K>;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const task of this.#waiting.clear()) task.reject(aborted());
    this.#running?.reject(aborted());
    this.#running = undefined;
    await this.#end();
  }

  #next(): void {
    if (this.#running !== undefined || this.#ending !== undefined || this.#isClosed) return;
    if (this.#worker === undefined && this.#waiting.size() > 0) this.#start();
    const task = this.#isReady ? this.#takeUnexpired() : undefined;
    if (task === undefined) {
      this.#idle();
      return;
    }
    this.#running = task;
    this.#limit(task.options.deadline_ms ?? this.#options.deadline_ms);
    try {
      this.#worker!.postMessage(task.request);
    } catch (error) {
      this.#settle({ error: error as Error }); // The input cannot be cloned.
    }
  }

  #takeUnexpired(): Task | undefined {
    for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) {
      const { wait_ms = Infinity } = task.options;
      if (performance.now() - Math.max(task.since, this.#readySince) <= wait_ms) return task;
      this.#reject(task, new JobError("overdue", `waited longer than ${wait_ms / 1000} s`));
    }
    return undefined;
  }

  #start(): void {
    if (performance.now() < this.#restartAt) {
      this.#failAll(new JobError(this.#startFailure, `the ${this.#options.name} worker does not start`));
      return;
    }
    const { file, name, memory_mb, young_mb = YOUNG_MB, start_ms } = this.#options;
    const resourceLimits = { maxOldGenerationSizeMb: memory_mb, maxYoungGenerationSizeMb: young_mb };
    const worker = new Worker(file, { name, resourceLimits, execArgv: [] });
    this.#worker = worker;
    this.#limit(start_ms);
    const ifMine = (then: () => void) => worker === this.#worker && then();
    worker.on("message", (reply: JobReply) => ifMine(() => this.#settle(reply)));
    worker.on("error", (error: NodeJS.ErrnoException) => ifMine(() => this.#fail(errorOf(error))));
    worker.on("exit", (code) => ifMine(() => this.#fail(new JobError("failed", `the ${name} worker ended (${code})`))));
    worker.unref(); // After the listeners, which would undo it. While a job runs, its timer keeps the process alive.
  }

  #settle(reply: JobReply): void {
    clearTimeout(this.#timer);
    const task = this.#running;
    this.#running = undefined;
    if ("ready" in reply) [this.#isReady, this.#readySince] = [true, performance.now()];
    else if ("output" in reply) task?.resolve(reply.output);
    else if (task !== undefined) this.#reject(task, new JobError("failed", reply.error.message, reply.error));
    this.#next();
  }

  /** Ends the worker at a limit. A reply sent before still counts, since this thread may itself be late. */
  #limit(ms: number): void {
    const worker = this.#worker;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const task = this.#running;
      setImmediate(() => {
        const isSame = worker === this.#worker && task === this.#running;
        if (isSame && (task !== undefined || !this.#isReady)) this.#fail(timeoutError(ms));
      });
    }, ms);
  }

  /** The worker failed: its job fails, or all that wait when it was not ready yet; then it is replaced. */
  #fail(error: JobError): void {
    const task = this.#running;
    const { name, logger, observer } = this.#options;
    observer?.workerRestarted(name);
    const { failure, message: reason } = error;
    logger.warn({ worker: name, job: task?.request.name, failure, reason }, "a worker was ended");
    this.#running = undefined;
    if (task !== undefined) this.#reject(task, error);
    if (!this.#isReady) {
      this.#restartAt = performance.now() + RETRY_MS;
      this.#startFailure = failure;
      this.#failAll(error);
    }
    this.#replace();
  }

  #replace(): void {
    void this.#end().then(() => this.#next());
  }

  #failAll(error: JobError): void {
    for (const task of this.#waiting.clear()) this.#reject(task, error);
  }

  #reject(task: Task, error: JobError): void {
    this.#options.observer?.jobFailed(this.#options.name, error.failure);
    task.reject(error);
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isReady = false;
    if (worker === undefined) return void (await this.#ending);
    worker.removeAllListeners("error").on("error", () => undefined);
    this.#ending = withTimeout<unknown>(worker.terminate(), END_MS, () => undefined);
    await this.#ending;
    this.#ending = undefined;
  }

  #idle(): void {
    const { idle_ms } = this.#options;
    if (idle_ms === undefined || !this.#isReady) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.pending() === 0) this.#replace();
    }, idle_ms).unref();
  }
}

const errorOf = (error: NodeJS.ErrnoException): JobError =>
  error.code === "ERR_WORKER_OUT_OF_MEMORY"
    ? new JobError("out_of_memory", "took more memory than a worker has", error)
    : new JobError("failed", error.message, error);

const aborted = (): DOMException => new DOMException("The job was aborted", "AbortError");
