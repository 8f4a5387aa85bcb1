import { fold } from "./text/fold.ts";

const RESEARCH =
  /深度(?:分析|研究|解读|调研|报告)|深入(?:分析|研究|解读)|详细研究|研究报告|全面(?:分析|研究)|\b(?:deep(?:er)? (?:research|analysis|dive)|in[- ]depth (?:research|analysis|report|look)|research (?:report|on|about|into|the)|do (?:some |a )?research|comprehensive (?:analysis|report|research)|thorough(?:ly)? (?:analy[sz]e|analysis|research))\b|^\s*(?:please\s+|can you\s+|could you\s+)?research\b/u;

/** Whether the user asks for deep research. */
export function asksResearch(question: string): boolean {
  return RESEARCH.test(fold(question));
}

const ELLIPTIC =
  /^(?:那|那么|那如果|如果是|还有|另外|以及|换成|它|他们|这个|那个|为什么$|为啥$|具体|然后|and\b|or\b|but\b|so\b|then\b|what about|how about|what if|why$|why not|how so|it\b|they\b|that\b|this\b|more\b|also\b)|呢[?？!！。]*$|\b(?:it|them|that one|this one|the same|instead)\b[?.! ]*$/u;
/** A question of more folded characters than this stands on its own. */
const SHORT = 60;

/** Whether a question leans on the one before it: "那手续费呢?", "and for USDT?". */
export function isElliptical(question: string): boolean {
  const folded = fold(question).trim();
  return folded.length <= SHORT && ELLIPTIC.test(folded);
}
