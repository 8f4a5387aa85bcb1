// Runs all of `npm test`: the linters beside type check and build, since each takes one core, and then the tests.
import { spawn } from "node:child_process";

/** Runs npm scripts one after the other; prints what each wrote once it has ended. */
async function run(...scripts) {
  for (const script of scripts) {
    const child = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", "pipe", "pipe"], shell: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const code = await new Promise((resolve) => child.on("close", resolve));
    process.stdout.write(`${code === 0 ? "passed" : "FAILED"}: npm run ${script}\n${output}`);
    if (code !== 0) return false;
  }
  return true;
}

const results = await Promise.all([run("lint"), run("typecheck", "build")]);
if (results.includes(false)) {
  process.exitCode = 1;
} else {
  const tests = spawn("npx", ["vitest", "run", "--config", "test/vitest.config.ts"], { stdio: "inherit", shell: true });
  tests.on("close", (code) => (process.exitCode = code ?? 1));
}
