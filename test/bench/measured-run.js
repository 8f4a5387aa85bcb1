import { spawn } from "node:child_process";
import { join } from "node:path";

export const BIN = join(import.meta.dirname, "../../bin/anp.js");
// The process reports its own peak and processor time as it ends.
const TELL = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; process.on("exit", () => writeSync(3, JSON.stringify(process.resourceUsage())));',
)}`;

/**
 * Runs `anp` into a pipe whose reader goes after so many lines.
 *
 * @param interrupt_ms when it gets a SIGINT
 * @returns its exit code, wall time, processor time in s, peak RSS in MB, how many bytes and lines were read, and the last of them
 */
export function runMeasured(args, lines = Infinity, interrupt_ms) {
  const from = performance.now();
  const child = spawn(process.execPath, ["--import", TELL, BIN, ...args], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const timer = interrupt_ms === undefined ? undefined : setTimeout(() => child.kill("SIGINT"), interrupt_ms);
  let bytes = 0;
  let stdout = "";
  let seen = 0;
  let usage = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    bytes += chunk.length;
    stdout = `${stdout}${chunk}`.slice(-100_000);
    for (const byte of chunk) if (byte === 10) seen += 1;
    if (seen >= lines) child.stdout.destroy();
  });
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdio[3].on("data", (chunk) => (usage += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      const seconds = (performance.now() - from) / 1000;
      const { maxRSS, userCPUTime, systemCPUTime } = usage === "" ? {} : JSON.parse(usage);
      const processor = (userCPUTime + systemCPUTime) / 1e6;
      resolve({ code, seconds, processor, megabytes: maxRSS / 1024, bytes, lines: seen, stdout, stderr });
    });
  });
}
