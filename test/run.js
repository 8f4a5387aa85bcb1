// Runs all of `npm test`: the build, then the tests. The linter, which also checks the types, runs beside both on what
// they leave of the processor.
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";

/** Starts a command in a shell; resolves with whether it succeeded, and with what it wrote unless that was inherited. */
function run(command, stdio) {
  const child = spawn(command, { stdio: ["ignore", stdio, stdio], shell: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const ended = new Promise((resolve) => child.on("close", (code) => resolve({ passed: code === 0, output })));
  return { ended, pid: child.pid };
}

// The type checker ends soon: below this size it need not look for memory to free.
process.env["GOGC"] ??= "off";
process.env["GOMEMLIMIT"] ??= "2500MiB";
const lint = run("npm run --silent lint", "pipe");
setPriority(lint.pid, constants.priority.PRIORITY_LOW);
const build = await run("npm run --silent build", "inherit").ended;
const tests =
  build.passed &&
  (await run("node node_modules/vitest/vitest.mjs run --config test/vitest.config.ts", "inherit").ended);
const { passed, output } = await lint.ended;
process.stdout.write(`${passed ? "passed" : "FAILED"}: npm run lint\n${output}`);
process.exitCode = passed && tests.passed ? 0 : 1;
