import { setImmediate } from "node:timers/promises";
import { JobError, timeoutError } from "./job-runner.ts";
import type { Input, JobRunner, Jobs, Output, RunOptions } from "./job-runner.ts";

const STEPS = 32; // Steps of a job per turn of the event loop: a few milliseconds.

/** Runs jobs in this process, for commands and tests. A job is interrupted only between its steps: keep them short.
 * @param open loads the jobs, before the first one @param deadline_ms of a job without one of its own */
export function createInProcessRunner<J extends Jobs>(open: () => J | Promise<J>, deadline_ms: number): JobRunner<J> {
  let opened: Promise<J> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const closing = new AbortController();

  async function run<K extends keyof J & string>(name: K, input: Input<J, K>, options: RunOptions) {
    closing.signal.throwIfAborted();
    options.signal?.throwIfAborted();
    const jobs = await (opened ??= Promise.resolve(open()));
    const longest = options.deadline_ms ?? deadline_ms;
    const until = performance.now() + longest;
    let steps = 0;
    const step = (): Promise<void> | undefined => {
      if (performance.now() > until) throw timeoutError(longest);
      closing.signal.throwIfAborted();
      steps += 1;
      return steps % STEPS === 0 ? setImmediate() : undefined;
    };
    try {
      return (await jobs[name]!(input, { step, move: () => undefined })) as Output<J, K>;
    } catch (error) {
      if (error instanceof JobError || closing.signal.aborted) throw error;
      throw new JobError("failed", (error as Error).message, error);
    }
  }

  return {
    run(name, input, options = {}) {
      const result = last.then(() => run(name, input, options));
      last = result.catch(() => undefined);
      return result;
    },
    async close() {
      closing.abort();
      await last;
    },
  };
}
