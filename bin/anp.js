#!/usr/bin/env node
const { existsSync } = require("node:fs");
const path = require("node:path");

// A storage on files has more syncs under way at once than the four threads that Node.js has for them. They start with the
// first asynchronous call, which is none of those above.
process.env.UV_THREADPOOL_SIZE ??= "8";

const loader = path.join(__dirname, "../dist/bundle/loader.cjs");
if (existsSync(loader)) {
  // As Node.js ends an ES module that waits for what never happens.
  const unsettled = () => void (process.exitCode = 13);
  process.once("beforeExit", unsettled);
  const { run } = require(loader).load("anp.cjs");
  void run().then(() => process.off("beforeExit", unsettled));
} else {
  process.stderr.write("anp is not built: run npm run build\n");
  process.exitCode = 1;
}
