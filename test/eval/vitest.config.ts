import { defineConfig } from "vitest/config";
import { resolve, server } from "../support/compiled-modules.ts";

/** Evaluations: they print tables, and take the folder of labelled data from ANP_DATA. */
export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  resolve,
  test: {
    server,
    include: ["test/eval/**/*.eval.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: "threads",
    maxWorkers: 1,
  },
});
