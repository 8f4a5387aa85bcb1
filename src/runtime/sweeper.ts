import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const LIMIT_BYTES = 76 * 1024 * 1024;
const EVERY_MS = 100;

/**
 * Keeps the memory of a command that works through a long list within 100 MB: to be called now and then. V8 on its own
 * gives new objects up to 32 MB of room, and lets old garbage pile up before it looks through all of it. Here that room
 * stays as it is, and above `LIMIT_BYTES` everything is looked through, which takes about 10 ms.
 */
export function createSweeper(): () => void {
  setFlagsFromString("--semi-space-growth-factor=1");
  let collect: (() => void) | undefined;
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < EVERY_MS || process.memoryUsage.rss() < LIMIT_BYTES) return;
    // The one way to reach the collector from within: `gc` is only known to contexts made after the flag.
    if (collect === undefined) {
      setFlagsFromString("--expose-gc");
      collect = runInNewContext("gc") as () => void;
    }
    collect();
    last = performance.now();
  };
}
