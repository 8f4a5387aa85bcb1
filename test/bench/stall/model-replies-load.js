// Questions whose answers a model writes that replies with 256 KiB of one character, or of two in turn. BENCH_PAIRS: how
// many of the 9,025 pairs of printable ASCII characters (default 300).
import { createServer } from "node:http";
import { askAll } from "./chat.js";
import { DEMO_CONTENT } from "./demo-content.js";
import { refresh } from "./feed-server.js";

const PAIRS = Number(process.env.BENCH_PAIRS ?? 300);
/** The longest reply that is read, as JSON. */
const SIZE = 256 * 1024;
/** Shares no factor with the number of pairs, so that a few pairs have all characters. */
const STRIDE = 1009;

const ASCII = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));
const OTHERS = ["\n", "\t", "\u00a0", "\u3000", "é", "比", "。", "，", "【", "１", "Ⅷ", "ﬁ", "ا", "א", "ก", "각", "😀"];
const MARKS = [
  "\u0301",
  "\u200b",
  "\u202e",
  "\ufeff",
  "👨‍👩‍👧",
  "a\u0301\u0302",
  "<think>",
  "</think>",
  "[1]",
  "【1】",
  "[1, 2-",
  "。\n",
];
const pair = (n) => ASCII[Math.floor(n / ASCII.length)] + ASCII[n % ASCII.length];
const UNITS = [
  ...ASCII,
  ...OTHERS,
  ...MARKS,
  ...Array.from({ length: PAIRS }, (_, n) => pair((n * STRIDE) % ASCII.length ** 2)),
];

/** A reply that is a unit again and again, and cites the first passage at its end, so that all of it is looked at. */
function replyOf(unit) {
  const reply = (content) =>
    JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "bench",
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  const end = " [1]";
  const room = SIZE - Buffer.byteLength(reply(end));
  return reply(unit.repeat(Math.floor(room / (Buffer.byteLength(JSON.stringify(unit)) - 2))) + end);
}

export async function open({ token }) {
  let replied = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(replyOf(UNITS[replied++ % UNITS.length]));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${server.address().port}/v1`;
  return {
    config: { news: DEMO_CONTENT, model: { base_url, model: "bench" } },
    async before(daemon) {
      await refresh(daemon, token);
      await askAll(daemon, token, ["What are the maker and taker fees?"]);
      replied = 0;
    },
    async run(daemon) {
      const ends = await askAll(
        daemon,
        token,
        UNITS.map(() => "What are the maker and taker fees?"),
      );
      return `${replied} replies: ${ends}`;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
