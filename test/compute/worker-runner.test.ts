import { afterEach, describe, expect, test, vi } from "vitest";
import { createInProcessRunner } from "../../src/compute/in-process-runner.ts";
import { WorkerRunner, type WorkerOptions } from "../../src/compute/worker-runner.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { until } from "../support/until.ts";

interface ProbeJobs {
  readonly [name: string]: (input: never) => unknown;
  count(input: undefined): { thread: number; runs: number };
  echo(input: unknown): unknown;
  bytes(length: number): Uint8Array;
  fail(input: undefined): never;
  backtrack(input: undefined): boolean;
  hoard(input: undefined): never;
  exit(input: undefined): never;
}

const opened: WorkerRunner<ProbeJobs>[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((runner) => runner.close()));
});

/** A runner of `probe-worker.js`. */
function probe(more: Partial<WorkerOptions> = {}): { runner: WorkerRunner<ProbeJobs>; events: string[] } {
  const events: string[] = [];
  const runner = new WorkerRunner<ProbeJobs>({
    name: "probe",
    file: new URL("probe-worker.js", import.meta.url),
    deadline_ms: 20_000,
    start_ms: 20_000,
    memory_mb: 16,
    logger: silentLogger,
    observer: {
      jobFailed: (name, failure) => events.push(`${name} job: ${failure}`),
      workerRestarted: (name) => events.push(`${name} restarted`),
    },
    ...more,
  });
  opened.push(runner);
  return { runner, events };
}

const openPorts = (): number => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;

describe("jobs in a worker", () => {
  test("run in one worker, in order, which keeps its state", async () => {
    const { runner } = probe();
    const counts = await Promise.all([1, 2, 3].map(() => runner.run("count", undefined)));
    const { thread } = counts[0]!;
    expect(counts).toEqual([1, 2, 3].map((runs) => ({ thread, runs })));
    expect(runner.pending()).toBe(0);
  });

  test("leave a worker that does not keep the process alive", async () => {
    const portsBefore = openPorts();
    const { runner } = probe();
    await runner.run("echo", "x");
    expect(openPorts()).toBe(portsBefore);
  });

  test("of different callers run in turn, and the service's own every other time", async () => {
    const { runner } = probe();
    const order: string[] = [];
    const run = (name: string, caller?: string) =>
      runner.run("echo", name, caller === undefined ? {} : { caller }).then(() => order.push(name));
    const many = Array.from({ length: 5 }, (_, n) => run(`a${n}`, "a"));
    await Promise.all([...many, run("b0", "b"), run("own"), run("b1", "b"), run("c0", "c")]);
    expect(order).toEqual(["own", "a0", "b0", "c0", "a1", "b1", "a2", "a3", "a4"]);
  });

  test("do not wait too long while the worker starts", async () => {
    const { runner } = probe();
    expect(await runner.run("count", undefined, { wait_ms: 10 })).toMatchObject({ runs: 1 });
  });

  test("that waited too long fail without being run", async () => {
    const { runner, events } = probe();
    const late = runner.run("count", undefined, { wait_ms: -1 });
    const ran = runner.run("count", undefined);
    await expect(late).rejects.toMatchObject({ failure: "overdue" });
    expect(await ran).toMatchObject({ runs: 1 });
    expect(events).toEqual(["probe job: overdue"]);
    expect(runner.pending()).toBe(0);
  });

  test("that throw fail alone, with their error", async () => {
    const { runner, events } = probe();
    const failing = runner.run("fail", undefined);
    await expect(failing).rejects.toMatchObject({ name: "JobError", failure: "failed", message: "out of range" });
    expect(await runner.run("count", undefined)).toMatchObject({ runs: 1 });
    expect(events).toEqual(["probe job: failed"]);
  });

  test.each([
    ["an endless regular expression", "backtrack", { failure: "timeout", message: "took longer than 0.3 s" }],
    ["too much memory", "hoard", { failure: "out_of_memory" }],
    ["the end of the thread", "exit", { failure: "failed" }],
  ] as const)("fail alone by %s; those that wait run in a new worker", async (_, job, error) => {
    const { runner, events } = probe();
    const [before, bad, good] = await Promise.allSettled([
      runner.run("count", undefined),
      runner.run(job, undefined, job === "backtrack" ? { deadline_ms: 300 } : {}),
      runner.run("count", undefined),
    ]);
    expect(bad).toMatchObject({ status: "rejected", reason: error });
    expect([before, good]).toMatchObject([{ value: { runs: 1 } }, { value: { runs: 1 } }]);
    expect(events).toEqual(["probe restarted", `probe job: ${error.failure}`]);
  });

  test("fail while no worker gets ready, without a start for each", async () => {
    const { runner, events } = probe({ file: new URL("failing-worker.js", import.meta.url) });
    const both = await Promise.allSettled([1, 2].map(() => runner.run("count", undefined)));
    await expect(runner.run("count", undefined)).rejects.toThrow("does not start");
    expect(both).toMatchObject([{ reason: { message: "no jobs" } }, { reason: { message: "no jobs" } }]);
    expect(events.filter((event) => event.endsWith("restarted"))).toHaveLength(1);
  });

  test("fail for as long as none is tried again, as those that waited for one that was not ready in time", async () => {
    const { runner } = probe({ start_ms: 1 });
    await expect(runner.run("count", undefined)).rejects.toMatchObject({ failure: "timeout" });
    const refused = { failure: "timeout", message: "the probe worker does not start" };
    await expect(runner.run("count", undefined)).rejects.toMatchObject(refused);
  });

  test("that cannot be sent fail alone", async () => {
    const { runner } = probe();
    await expect(runner.run("echo", () => 1)).rejects.toMatchObject({ failure: "failed" });
    expect(await runner.run("echo", "text")).toBe("text");
  });

  test("copy the buffers that they get, and hand over those that they make", async () => {
    const { runner } = probe();
    const bytes = new Uint8Array(8);
    expect(await runner.run("echo", bytes)).toEqual(bytes);
    expect((await runner.run("bytes", 5)).byteLength).toBe(5);
  });

  test("are dropped when they are aborted, and when the runner is closed", async () => {
    const { runner } = probe();
    const { signal } = new AbortController();
    const aborting = new AbortController();
    const jobs = [
      runner.run("backtrack", undefined, { signal }),
      runner.run("count", undefined, { signal: aborting.signal }),
    ].map((job) => expect(job).rejects.toMatchObject({ name: "AbortError" }));
    aborting.abort();
    expect(runner.pending()).toBe(1);
    await runner.close();
    await Promise.all(jobs);
    await expect(runner.run("count", undefined)).rejects.toMatchObject({ name: "AbortError" });
  });

  test("start a new worker after one that was idle for long", async () => {
    const { runner, events } = probe({ idle_ms: 1 });
    const { thread } = await runner.run("count", undefined);
    await until("the idle worker was ended", async () => (await runner.run("count", undefined)).thread !== thread);
    expect(events).toEqual([]);
  });

  test("keep their worker while it was idle for less than that since the last one", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { runner } = probe({ idle_ms: 5000 });
      const { thread } = await runner.run("count", undefined);
      for (let job = 0; job < 3; job++) {
        vi.advanceTimersByTime(3000);
        expect((await runner.run("count", undefined)).thread).toBe(thread);
      }
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("jobs in process", () => {
  const endless = async (_: undefined, { step }: { step: () => Promise<void> | undefined }): Promise<never> => {
    for (;;) await step();
  };
  const open = (deadline_ms: number) =>
    createInProcessRunner(() => ({ endless, double: (n: number) => n * 2 }), deadline_ms);

  test("run one after the other, and fail between two steps once their deadline has passed", async () => {
    const runner = open(10_000);
    const [late, good] = await Promise.allSettled([
      runner.run("endless", undefined, { deadline_ms: 20 }),
      runner.run("double", 21),
    ]);
    expect(late).toMatchObject({
      reason: { name: "JobError", failure: "timeout", message: "took longer than 0.02 s" },
    });
    expect(good).toEqual({ status: "fulfilled", value: 42 });
  });

  test("are aborted when the runner is closed", async () => {
    const runner = open(10_000);
    const job = expect(runner.run("endless", undefined)).rejects.toMatchObject({ name: "AbortError" });
    await runner.close();
    await job;
  });
});
