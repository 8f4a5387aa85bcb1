import { spawn } from "node:child_process";
import { join } from "node:path";

const BIN = join(import.meta.dirname, "../../bin/anp.js");
// The process reports its own peak as it ends.
const TELL = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; process.on("exit", () => writeSync(3, String(process.resourceUsage().maxRSS)));',
)}`;

/**
 * Runs `anp` into a pipe whose reader goes after so many lines.
 *
 * @returns its exit code, wall time, peak RSS in MB, and how many bytes were read
 */
export function runMeasured(args, lines = Infinity) {
  const from = performance.now();
  const child = spawn(process.execPath, ["--import", TELL, BIN, ...args], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  let bytes = 0;
  let seen = 0;
  let peak = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    bytes += chunk.length;
    if (lines === Infinity) return;
    for (const byte of chunk) if (byte === 10) seen += 1;
    if (seen >= lines) child.stdout.destroy();
  });
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdio[3].on("data", (chunk) => (peak += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({ code, seconds: (performance.now() - from) / 1000, megabytes: Number(peak) / 1024, bytes, stderr });
    });
  });
}
