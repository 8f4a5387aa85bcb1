import { defineConfig } from "vitest/config";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    // No module of ours keeps state, so that a process can load and compile each once for many files.
    isolate: false,
    // A third of the time is spent waiting, for Redis servers and disks above all.
    maxWorkers: 3,
    restoreMocks: true,
  },
});
