import { WorkerRunner, workerFile } from "../compute/worker-runner.ts";
import { silentLogger } from "../runtime/logger.ts";
import { checkEntries, checkPage, type StoredPage } from "./check-page.ts";

/** Entries from which on a ledger is worth the threads, which take some 0.2 s to start. */
export const MANY = 20_000;
const THREADS = 2; // Each takes some 40 MB.
const JOBS = { checkPage, checkEntries };
const WORKER = { name: "ledger", file: workerFile("ledger-worker"), logger: silentLogger, start_ms: 60_000 };
const BOUNDS = { deadline_ms: 60_000, idle_ms: 1000, memory_mb: 256, young_mb: 32 };

/** Checks the pages of long ledgers. The threads start with their first page, and end when there is none for a while. */
export type LedgerThreads = ReturnType<typeof createLedgerThreads>;

export function createLedgerThreads() {
  const runners = Array.from({ length: THREADS }, () => new WorkerRunner<typeof JOBS>({ ...WORKER, ...BOUNDS }));
  /** In this thread where that is not possible. */
  return (job: keyof typeof JOBS, page: StoredPage) => {
    const [runner] = runners.toSorted((one, other) => one.pending() - other.pending());
    return runner!.run(job, page).catch(() => JOBS[job](page));
  };
}
