import { createInProcessRunner } from "../../compute/in-process-runner.ts";
import type { JobRunner } from "../../compute/job-runner.ts";
import { WorkerRunner, workerFile, type WorkerOptions } from "../../compute/worker-runner.ts";
import { cachedPromise } from "../../runtime/cache/cached-promise.ts";
import type { AssistantJobs } from "./assistant-jobs.ts";
import type { StartIndex } from "./shared-indexes.ts";

const START_MS = 30_000; // A worker loads everything in about a second, but takes longer on a busy processor.
/** V8's heap is enough for the index of 100,000 articles. */
const BOUNDS = { deadline_ms: 2000, start_ms: START_MS, memory_mb: 512 };
const WORKER = { name: "assistant", file: workerFile("assistant-worker"), ...BOUNDS };

const load = async (begin?: StartIndex) => (await import("./assistant-jobs.ts")).createAssistantJobs(begin);

export const assistantInProcess = (): JobRunner<AssistantJobs> => createInProcessRunner(() => load(), START_MS);

/** A factory of runners in this process that share the indexes of equal content, for many services at once. */
export function sharedAssistants(): () => JobRunner<AssistantJobs> {
  const indexes = cachedPromise(async () => (await import("./shared-indexes.ts")).createSharedIndexes());
  return () => createInProcessRunner(async () => load(await indexes()), START_MS);
}

export const assistantInWorker = (deps: Pick<WorkerOptions, "logger" | "observer">): JobRunner<AssistantJobs> =>
  new WorkerRunner<AssistantJobs>({ ...WORKER, ...deps });
