import { relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { resolve, server } from "./support/compiled-modules.ts";

/** What mostly waits for servers and for what does not answer: one such file at a time leaves the processor to two others. */
const WAITS = [
  "faults/redis-failover",
  "assistant/model-providers",
  "faults/redis-outage",
  "faults/redis-network",
  "daemons/refresh",
  "faults/redis-takeover",
  "cli/doctor",
  "events/hot-questions",
  "storage/redis.test",
  "http/docs",
];
/** What takes longest, in this order: begun last, such a file would be waited for alone. */
const FIRST = [
  "faults/killed-at-a-step",
  "assistant/worlds",
  "cli/serve",
  "smoke/bundled",
  "daemons/",
  "faults/",
  "assistant/hosted",
  "news/refresh/hostile",
  "ledger/verify",
  "linear/",
  "cli/",
  "http/chat",
  "package/",
  "smoke/",
  "storage/",
  "http/",
];
const BETWEEN = 3; // Files between two that wait.

const placeIn = (list: readonly string[], { moduleId }: TestSpecification): number => {
  const file = relative(import.meta.dirname, moduleId);
  const at = list.findIndex((start) => file.startsWith(start));
  return at === -1 ? list.length : at;
};

class WaitsBetween extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const by = (list: readonly string[]) => files.toSorted((one, other) => placeIn(list, one) - placeIn(list, other));
    const waits = by(WAITS).filter((file) => placeIn(WAITS, file) < WAITS.length);
    const others = by(FIRST).filter((file) => !waits.includes(file));
    const between = others.flatMap((file, at) => (at % BETWEEN === 0 ? [...waits.splice(0, 1), file] : [file]));
    return Promise.resolve([...between, ...waits]);
  }
}

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  resolve,
  test: {
    server,
    include: ["test/**/*.test.ts"],
    globalSetup: "test/support/bundle-processes.ts",
    // None is reached but by what hangs: a machine may be ten times as slow as usual.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    pool: "forks",
    // No module of ours keeps state, so that a process can load and compile each once for many files.
    isolate: false,
    // A third of the time is spent waiting, for Redis servers and disks above all: a fourth file makes them too slow.
    maxWorkers: 3,
    // Many small worlds are made and dropped: with more room for young objects, fewer are copied.
    execArgv: ["--max-semi-space-size=64"],
    sequence: { sequencer: WaitsBetween },
    restoreMocks: true,
  },
});
