import { relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest, in this order: begun last, such a file would be waited for alone. */
const FIRST = [
  "linear/",
  "smoke/bundled",
  "daemons/",
  "faults/",
  "cli/",
  "http/chat",
  "package/",
  "smoke/",
  "storage/",
  "http/",
];

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const file = relative(import.meta.dirname, moduleId);
      const at = FIRST.findIndex((start) => file.startsWith(start));
      return at === -1 ? FIRST.length : at;
    };
    return Promise.resolve(files.toSorted((one, other) => place(one) - place(other)));
  }
}

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  // The tests run the modules that the build has compiled: Node loads these faster than Vite compiles and wraps the sources
  // for each process, and calls among them take no detour.
  resolve: {
    alias: [{ find: /^(?:\.\.\/)+src\/(.+)\.ts$/, replacement: new URL("../dist/$1.js", import.meta.url).pathname }],
  },
  test: {
    server: { deps: { external: [/\/dist\/.+\.js$/] } },
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
    sequence: { sequencer: LongestFirst },
    restoreMocks: true,
  },
});
