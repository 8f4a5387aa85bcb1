/** Work whose cost depends on untrusted text, as jobs: a module names its jobs in one table, and a runner runs them one
 * at a time, either in a worker thread (`WorkerRunner`) or in this process (`createInProcessRunner`).
 * @example
 * const jobs = { count: (text: string) => text.length };
 * const runner: JobRunner<typeof jobs> = createInProcessRunner(() => jobs, 1000);
 * await runner.run("count", "four"); // 4 */
export type Jobs = Readonly<Record<string, Job>>;
/** Input and output are copied between threads (structured clone): plain data, best few large strings or buffers. */
type Job = (input: never, context: JobContext) => unknown;
export type Input<J extends Jobs, K extends keyof J> = Parameters<J[K]>[0];
export type Output<J extends Jobs, K extends keyof J> = Awaited<ReturnType<J[K]>>;
/** Ends a step of a long job, so that other work of the process may run. It must be awaited. */
export type Step = () => Promise<void> | undefined;

/** What a running job may call. */
export interface JobContext {
  /** Does nothing in a worker thread, which is ended at the deadline. In process it lets other work run.
   * @throws JobError `timeout` in process, when the deadline has passed */
  readonly step: Step;
  /** Transfers a buffer in the output instead of copying it. The job must not use it afterwards. */
  readonly move: (buffer: ArrayBuffer) => void;
}

export interface RunOptions {
  readonly deadline_ms?: number; // Longest run, from the moment the job begins. Default: the runner's.
  readonly signal?: AbortSignal | undefined; // Drops a job that waits; a running one continues, but its output is not waited for.
  readonly caller?: string; // Jobs of different callers are run round-robin.
  readonly wait_ms?: number; // Longest wait for its turn once a worker runs, ms; then the job fails without having been run.
}

/** Runs the jobs of one table, one at a time, in the order of the calls. */
export interface JobRunner<J extends Jobs> {
  /** @throws JobError when this job fails; the jobs that wait are not affected
   * @throws DOMException an AbortError, when the signal aborts it or the runner is closed */
  run<K extends keyof J & string>(name: K, input: Input<J, K>, options?: RunOptions): Promise<Output<J, K>>;
  close(): Promise<void>; // Aborts waiting and running jobs.
}

type JobFailure = "timeout" | "out_of_memory" | "overdue" | "failed"; // Overdue: its turn did not come in time.

/** One job failed. For `failed`, the cause has the job's error. */
export class JobError extends Error {
  override readonly name = "JobError";
  readonly failure: JobFailure;

  constructor(failure: JobFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}

export const timeoutError = (deadline_ms: number): JobError =>
  new JobError("timeout", `took longer than ${deadline_ms / 1000} s`);

/** Observes the runners of a process, for metrics. */
export interface JobObserver {
  jobFailed(runner: string, failure: JobFailure): void;
  /** A worker thread was ended at a limit or by an error; the next job starts another. */
  workerRestarted(runner: string): void;
}
