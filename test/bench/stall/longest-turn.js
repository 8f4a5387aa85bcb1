// Loaded into a daemon before it starts: reports the longest turn of its event loop since it was asked last, in ms, by the
// clock, and in processor time of the main thread (Linux), which other processes of a busy machine do not add to.
import { openSync, readSync } from "node:fs";

const EVERY_MS = 1;
const stat = openSync(`/proc/self/task/${process.pid}/schedstat`);
const bytes = Buffer.alloc(64);

function now() {
  const text = bytes.latin1Slice(0, readSync(stat, bytes, 0, bytes.length, 0));
  return { clock: performance.now(), processor: Number.parseInt(text, 10) / 1e6 };
}

let last = now();
let longest = { clock: 0, processor: 0 };
const end = () => {
  const at = now();
  for (const kind of Object.keys(longest)) longest[kind] = Math.max(longest[kind], at[kind] - last[kind]);
  last = at;
};
setInterval(end, EVERY_MS).unref();
process.on("message", () => {
  end();
  process.send(longest);
  longest = { clock: 0, processor: 0 };
});
process.channel.unref();
