import { createInProcessRunner } from "../../compute/in-process-runner.ts";
import type { JobRunner } from "../../compute/job-runner.ts";
import { WorkerRunner, workerFile, type WorkerOptions } from "../../compute/worker-runner.ts";
import type { NewsJobs } from "./news-jobs.ts";

const JOB_MS = 10_000; // Longest run of a job that has no deadline of its own, and longest start of the worker, ms.
const WORKER = {
  name: "news",
  file: workerFile("news-worker"),
  deadline_ms: JOB_MS,
  start_ms: JOB_MS,
  memory_mb: 448, // Enough for 20,000 items of two languages beside the snapshot before.
  young_mb: 24, // What a refresh needs for a moment is then not copied with what stays.
  idle_ms: 5000, // The worker is needed for refreshes only: in between it would hold its memory for nothing.
};

/** Runs the news jobs in this process. */
export const newsInProcess = (): JobRunner<NewsJobs> =>
  createInProcessRunner(async () => (await import("./news-jobs.ts")).createNewsJobs(), JOB_MS);

/** Runs the news jobs in a worker thread. */
export const newsInWorker = (deps: Pick<WorkerOptions, "logger" | "observer">): JobRunner<NewsJobs> =>
  new WorkerRunner<NewsJobs>({ ...WORKER, ...deps });
