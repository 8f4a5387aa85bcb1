import { ConverterBuilder } from "opencc-js/core";
import * as SIMPLIFIED_TO from "opencc-js/preset/cn2t";
import { memoized } from "../runtime/cache/memoized.ts";
import type { Script } from "./detect-language.ts";
import { isTraditional } from "./traditional.ts";

/** Reading the dictionary takes some 200 ms and 45 MB. */
const converterTo = memoized((to: Script) => ConverterBuilder(SIMPLIFIED_TO)({ from: "cn", to }), 2);

/** A Simplified Chinese text in Traditional characters, by OpenCC. What is Traditional already stays, and so do addresses. */
export function toTraditional(text: string, script: Script): string {
  const parts = text.split(/(https?:\/\/[^\s\p{Script=Han}]+|\n)/u);
  return parts.map((part, at) => (at % 2 === 1 || isTraditional(part) ? part : converterTo(script)(part))).join("");
}
