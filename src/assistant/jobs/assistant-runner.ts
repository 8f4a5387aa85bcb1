import { createInProcessRunner } from "../../compute/in-process-runner.ts";
import type { JobRunner } from "../../compute/job-runner.ts";
import { WorkerRunner, workerFile, type WorkerOptions } from "../../compute/worker-runner.ts";
import type { AssistantJobs } from "./assistant-jobs.ts";

const START_MS = 30_000; // A worker loads everything in about a second, but takes longer on a busy processor.
/** V8's heap is enough for the index of 100,000 articles. */
const BOUNDS = { deadline_ms: 2000, start_ms: START_MS, memory_mb: 512 };
const WORKER = { name: "assistant", file: workerFile("assistant-worker"), ...BOUNDS };

export const assistantInProcess = (): JobRunner<AssistantJobs> =>
  createInProcessRunner(async () => (await import("./assistant-jobs.ts")).createAssistantJobs(), START_MS);

export const assistantInWorker = (deps: Pick<WorkerOptions, "logger" | "observer">): JobRunner<AssistantJobs> =>
  new WorkerRunner<AssistantJobs>({ ...WORKER, ...deps });
