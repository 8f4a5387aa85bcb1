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
  memory_mb: 448, // Enough for 20,000 items in two languages and the previous snapshot.
  young_mb: 24, // Large enough that short-lived objects of a refresh are not copied with the others.
  idle_ms: 5000, // The worker is needed for refreshes only; stopping it frees its memory.
};

export const newsInProcess = (): JobRunner<NewsJobs> =>
  createInProcessRunner(async () => (await import("./news-jobs.ts")).createNewsJobs(), JOB_MS);

export const newsInWorker = (deps: Pick<WorkerOptions, "logger" | "observer">): JobRunner<NewsJobs> =>
  new WorkerRunner<NewsJobs>({ ...WORKER, ...deps });
