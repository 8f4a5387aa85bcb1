// Questions of the greatest length, made to be slow to read, one after the other. BENCH_REPEATS: how often each is asked
// (default 3).
import { askAll } from "./chat.js";
import { DEMO_CONTENT } from "./demo-content.js";
import { refresh } from "./feed-server.js";

const REPEATS = Number(process.env.BENCH_REPEATS ?? 3);
const LENGTH = 2000;
const START = "What is the USDT withdrawal fee? ";

const cut = (text) => Array.from(text).slice(0, LENGTH).join("");
const fill = (unit) => cut(unit.repeat(LENGTH));
const each = (unit, joined = " ") => cut(Array.from({ length: LENGTH }, (_, n) => unit(n)).join(joined));
const nested = (open, close, inner = "fee") => {
  const depth = Math.floor((LENGTH - inner.length) / (open.length + close.length));
  return open.repeat(depth) + inner + close.repeat(depth);
};
const letters = (n) => n.toString(36).replaceAll(/\d/g, (digit) => "ghijklmnop"[digit]);

const ASCII = Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n));
const PAIRS = [
  "a ",
  "a1",
  "1.",
  "1,",
  "1-",
  "- ",
  "a-",
  "a.",
  "a'",
  "a@",
  ".a",
  "//",
  "/a",
  "$1",
  "%1",
  "1%",
  "A ",
  "Aa",
  "费a",
  "费 ",
  "费1",
  "费，",
  "。？",
  "??",
  "?a",
];
const MARKS = [
  "\u0301",
  "\u200b",
  "\u200d",
  "\u202e",
  "\ufe0f",
  "😀",
  "👨‍👩‍👧",
  "ﷺ",
  "ﬃ",
  "İ",
  "ß",
  "가",
  "か\u3099",
  "𠀀",
  "\u{e0041}",
  "क्ष",
  "ก็",
];
const WORDS = [
  "not ",
  "fee ",
  "withdraw ",
  "or ",
  "and ",
  "the ",
  "BTC ",
  "BTC/USDT ",
  "what is ",
  "1000 USDT ",
  "手续费",
  "提现",
  "和",
  "不",
  "多少",
  "最近 24 小时",
];

/** Texts that cost a reader the square of their length if it does not take care, or fill what it remembers. */
const SHAPES = [
  ...[...ASCII, ...PAIRS, ...MARKS, ...WORDS].map(fill),
  nested('"', '"'),
  nested("“", "”"),
  nested("「", "」"),
  nested("(", ")"),
  nested("[", "]"),
  nested("（", "）", "手续费"),
  nested('("', '")'),
  nested("<b>", "</b>"),
  fill("<!--"),
  fill("[1](http://a.example) "),
  fill("https://a.example/?a=1&"),
  fill("a@b.example "),
  `0x${fill("ab12").slice(2)}`,
  `1${fill("0").slice(1)}`,
  fill("1,000,"),
  fill("1e9"),
  fill("٣"),
  fill("Ａ１"),
  fill("аaеeоo"),
  fill("费fеe費"),
  fill("a\u0301\u0302\u0303"),
  `a${fill("\u0301").slice(1)}`,
  // Many different ones: characters, words, numbers, assets, dates.
  each((n) => String.fromCodePoint(0x4e00 + n), ""),
  each((n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000)), ""),
  each((n) => String.fromCodePoint(0x20000 + n), ""),
  each((n) => String.fromCodePoint(0xac00 + n), ""),
  each((n) => String.fromCodePoint(0x3b1 + (n % 400)), ""),
  each((n) => letters(n)),
  each((n) => letters(n * 7919), ""),
  each((n) => `fee${letters(n)}`),
  each((n) => `${letters(n)}ing`),
  each((n) => letters(n), "-"),
  each((n) => letters(n), "."),
  each((n) => letters(n), "? "),
  each((n) => letters(n), "; "),
  each((n) => String(n)),
  each((n) => `${n}%`),
  each((n) => `$${n}.${n}`),
  each((n) => letters(n).toUpperCase()),
  each((n) => `${letters(n).toUpperCase()}/USDT`),
  each((n) => `2026-${(n % 12) + 1}-${(n % 28) + 1}`),
  each((n) => `提现${String.fromCodePoint(0x4e00 + n)}`, ""),
  each((n) => `${letters(n)}费`, ""),
  // Misspelled words, for what corrects them.
  each((n) => `withd${letters(n)}wal`),
  each((n) => ["wihtdrawal", "depsoit", "verfication", "tradign", "lveerage", "pasword"][n % 6]),
];
const QUESTIONS = [...SHAPES, ...SHAPES.map((shape) => cut(START + shape))];

export function open({ token }) {
  return {
    config: { news: DEMO_CONTENT },
    async before(daemon) {
      await refresh(daemon, token);
      await askAll(daemon, token, [START]);
    },
    async run(daemon) {
      const asked = Array.from({ length: REPEATS }, () => QUESTIONS).flat();
      return `${asked.length} questions: ${await askAll(daemon, token, asked)}`;
    },
  };
}
