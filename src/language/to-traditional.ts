import { ConverterBuilder } from "opencc-js/core";
import * as SIMPLIFIED_TO from "opencc-js/preset/cn2t";
import { memoized } from "../runtime/cache/memoized.ts";
import { rewriter } from "../runtime/text/patterns.ts";
import type { Script } from "./detect-language.ts";
import PAIRS from "./to-traditional.json" with { type: "json" };
import { isTraditional } from "./traditional.ts";

/** Reading the dictionary takes some 200 ms and 45 MB. */
const converterTo = memoized((to: Script) => ConverterBuilder(SIMPLIFIED_TO)({ from: "cn", to }), 2);

/** What the dictionary converts wrongly: it takes 天后 ("days later") for the empress of heaven, and 只 ("only") behind 单,
 * 这 or 零 for the measure word, which it does not know behind digits. */
const withWords = rewriter(PAIRS.before, "gu");
const corrected = rewriter(PAIRS.after, "gu");

/** Converts Simplified Chinese to Traditional characters with OpenCC. Lines already in Traditional, and URLs, are kept. */
export function toTraditional(text: string, script: Script): string {
  const parts = text.split(/(https?:\/\/[^\s\p{Script=Han}]+|\n)/u);
  const convert = (part: string): string => corrected(converterTo(script)(withWords(part)));
  return parts.map((part, at) => (at % 2 === 1 || isTraditional(part) ? part : convert(part))).join("");
}
