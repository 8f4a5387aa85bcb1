import { createInProcessRunner } from "../compute/in-process-runner.ts";
import type { JobObserver, JobRunner } from "../compute/job-runner.ts";
import { createWorkerRunner, workerFile } from "../compute/worker-runner.ts";
import type { Logger } from "../runtime/logger.ts";
import type { AssistantJobs } from "./assistant-jobs.ts";

/** Longest run of a job, ms: an answer takes some milliseconds. */
const JOB_MS = 2000;
/** Longest start of the worker, ms. */
const START_MS = 10_000;
/** V8's heap of the worker, MB: enough for the index of 100,000 articles. */
const MEMORY_MB = 512;

/** Runs the assistant's jobs in this process. */
export function assistantInProcess(): JobRunner<AssistantJobs> {
  const open = async (): Promise<AssistantJobs> => (await import("./assistant-jobs.ts")).createAssistantJobs();
  return createInProcessRunner(open, { deadline_ms: START_MS });
}

/** Runs the assistant's jobs in a worker thread. */
export function assistantInWorker(deps: {
  logger: Logger;
  observer: JobObserver | undefined;
}): JobRunner<AssistantJobs> {
  return createWorkerRunner({
    name: "assistant",
    file: workerFile("assistant-worker"),
    deadline_ms: JOB_MS,
    start_ms: START_MS,
    memory_mb: MEMORY_MB,
    ...deps,
  });
}
