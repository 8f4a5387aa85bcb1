// A worker whose jobs go wrong, one way each. It is started by worker-runner.test.ts.
import { threadId } from "node:worker_threads";
import { serveJobs } from "../../dist/compute/serve-jobs.js";

await serveJobs(() => {
  let runs = 0;
  const kept = [];
  return {
    count: () => ({ thread: threadId, runs: (runs += 1) }),
    echo: (input) => input,
    bytes(length, { move }) {
      const bytes = new Uint8Array(length);
      move(bytes.buffer);
      return bytes;
    },
    fail() {
      throw new RangeError("out of range");
    },
    backtrack: () => /^(a+)+$/.test(`${"a".repeat(50)}b`),
    hoard() {
      for (;;) kept.push(Array(1000).fill(kept.length));
    },
    exit: () => process.exit(3),
  };
});
