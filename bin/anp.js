#!/usr/bin/env node
import { existsSync } from "node:fs";

const cli = new URL("../dist/bundle/anp.js", import.meta.url);
if (existsSync(cli)) {
  const { run } = await import(cli.href);
  await run();
} else {
  process.stderr.write("anp is not built: run npm run build\n");
  process.exitCode = 1;
}
