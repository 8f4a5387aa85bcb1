import { hasHan } from "../../language/detect-language.ts";
import { fold } from "../../language/fold.ts";

const RESEARCH =
  /深度(?:分析|研究|解读|调研|报告)|深入(?:分析|研究|解读)|详细研究|研究报告|全面(?:分析|研究)|\b(?:deep(?:er)? (?:research|analysis|dive)|in[- ]depth (?:research|analysis|report|look)|research (?:report|on|about|into)|do (?:some |a )?research|comprehensive (?:analysis|report|research)|thorough(?:ly)? (?:analy[sz]e|analysis|research))\b|^\s*(?:please\s+|can you\s+|could you\s+)?research\b/u;

/** Words that name the feature itself: "what is advanced research" asks about it, not for it. */
const ABOUT_RESEARCH =
  /(?:深度研究|advanced research|deep research)(?:功能|是什么| feature|\?|？|$)|(?:什么是|what is|do i have|能用)/u;

/** Whether the user asks for deep research. */
export function asksResearch(question: string): boolean {
  const folded = fold(question);
  return RESEARCH.test(folded) && !ABOUT_RESEARCH.test(folded);
}

const RESEARCH_WORDS = new RegExp(`(?:${RESEARCH.source})(?:一下|下)?`, "gu");
const ORDER =
  /^\s*(?:(?:请|麻烦|帮我|给我|为我|我想|我要|做|写|出|来|一下|一?[份个篇])+|(?:please|give me|write|make|do|an?|the)\s+)+/u;

/** The question without its request for research, which is not its subject; the question itself when nothing else is left. */
export function withoutResearch(question: string): string {
  const folded = fold(question);
  if (!asksResearch(question)) return question;
  const rest = folded.replace(RESEARCH_WORDS, " ").replace(ORDER, "").trim();
  return /[\p{L}\p{N}]{2}/u.test(rest) ? rest : question;
}

const ELLIPTICAL =
  /^(?:那|那么|那如果|如果是|还有|另外|以及|换成|它|他们|这个|那个|为什么|为啥|具体|然后|and\b|or\b|but\b|so\b|then\b|what about|how about|what if|why\b|how so|it\b|they\b|that\b|this\b|more\b|also\b)|呢[?？!！。]*$|\b(?:it|them|that one|this one|the same|instead)\b[?.! ]*$/u;
/** Longer questions, in characters, are complete by themselves. */
const SHORT = { zh: 14, en: 45 };

/** Whether a question is incomplete without the one before it: "那手续费呢?", "and for USDT?". */
export function isElliptical(question: string): boolean {
  const folded = fold(question).trim();
  const most = hasHan(folded) ? SHORT.zh : SHORT.en;
  return folded.length <= most && ELLIPTICAL.test(folded);
}

const ADVICE =
  /该不该.{0,6}(?:买|卖|投|加|入|抄|抛|割|拿|持)|(?:我|现在|今天|目前).{0,4}该.{0,3}(?:买入|买|卖出|卖|抛|加仓|抄底|入场|持有|割肉)|(?:能不能|可不可以|可以|能|值得|适合|应该|要不要).{0,4}(?:抄底|入场|加仓|投资吗|长期持有|梭哈|全仓买|定投吗)|值得(?:买|投资|入手|持有)|会不会[涨跌]|会[涨跌](?:到|吗|多少|不)|[涨跌]到(?:多少|哪)|推荐.{0,6}(?:币|买|投资)|买(?:什么|哪个|哪种|哪些|啥)币|(?:什么|哪个|哪种|哪些|啥)币.{0,6}(?:赚|涨|翻|潜力|值得|好|牛)|预测.{0,10}(?:价|走势|涨|跌|行情)|(?:做多|买)还是(?:做空|卖)|稳赚|割肉吗|\b(?:should|shall|would) (?:i|we|you) (?:\w+ ){0,2}(?:buy|sell|hold|invest|short|long|ape|stake my savings|go (?:long|short|all in)|cut my)\b|\b(?:good|right|best) time to (?:buy|sell|invest|enter|short|long)|\bworth (?:buying|investing|holding)|\bgood (?:investment|buy)\b|\b(?:price|market) (?:prediction|forecast)s?\b|\b(?:predict|forecast) .{0,30}(?:price|btc|bitcoin|eth|market|sol)|\bwill (?:the )?(?:price|market|btc|bitcoin|eth|ethereum|sol|solana|xrp|doge|crypto|it) .{0,20}(?:rise|go up|go down|reach|hit|moon|crash|fall|drop|pump|dump|recover|double)|\b(?:which|what) (?:coin|crypto|cryptos|token|altcoin|coins|tokens|altcoins)s? (?:\w+ ){0,3}(?:buy|invest|10x|100x|explode|moon|rich|potential)|\bbest (?:coin|crypto|token|altcoin)s? to (?:buy|invest)|\btrading signals?\b|\b(?:build|make|design) (?:me )?(?:a|my) portfolio/u;

/** Whether the user asks what to buy or sell, or where a price will go. */
export function asksAdvice(question: string): boolean {
  return ADVICE.test(fold(question));
}

const COURTESY =
  /^(?:(?:你好|您好|哈喽|嗨|请问一下|请问|麻烦问一下|想问一下|问一下|想请教|hello|hi|hey|good (?:morning|afternoon|evening)|excuse me|please|sorry)(?:[\s,，.。!！~～:：、]+|(?=\p{Script=Han})))+/u;

/** The folded question without a greeting and without a request for research, unless nothing else is left. */
export function withoutCourtesy(question: string): string {
  const folded = fold(withoutResearch(question)).trim();
  const rest = folded.replace(COURTESY, "").trim();
  return /[\p{L}\p{N}]{2}|\p{Script=Han}/u.test(rest) ? rest : folded;
}
