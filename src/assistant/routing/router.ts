import { readFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { readRows } from "../../runtime/data-rows.ts";
import { assetsInQuestion, isAssetName } from "../../language/assets.ts";
import {
  createClassifier,
  train,
  type Classification,
  type Classifier,
  type Example,
  type Trained,
} from "./classifier/classifier.ts";
import { ROUTES, type Route, type Routing } from "./routing.ts";
import { detectLanguage, hasHan } from "../../language/detect-language.ts";
import { fold, tokenize, type Token } from "../../language/tokenize.ts";
import { QUESTION_LEXICON, conceptsOf } from "../../language/lexicon.ts";

/** Concepts that occur in questions on any subject. */
const COMMON: ReadonlySet<string> = new Set(
  `self assistant how when amount recent trouble reset arrival reward code rules balance basics support advice news
  signing app`.split(/\s+/),
);

/** Whether a text names a concept of the domain: trading, the platform, its news. */
export function isInDomain(text: string): boolean {
  return [...conceptsIn(text)].some((concept) => !COMMON.has(concept));
}

/** The concepts that a text names, and `asset` when it names one. */
export function conceptsIn(text: string, tokens: readonly Token[] = tokenize(text)): Set<string> {
  const found = conceptsOf(tokens, QUESTION_LEXICON, true);
  if (assetsInQuestion(text, tokens).size > 0) found.add("asset");
  return found;
}

/** Context of a question. */
export interface RouteContext {
  /** The question before. */
  readonly previous: string | undefined;
  /** Scene of the page that the user is on. */
  readonly page_context: string | undefined;
}

function fromLabel(label: string): { route: Route; sub_intent: string } {
  const [name, sub_intent = ""] = label.split("/");
  const route = ROUTES.find((known) => known === name);
  if (route === undefined) throw new Error(`Unknown route in the label ${JSON.stringify(label)}.`);
  return { route, sub_intent };
}

/** The bundled seed utterances as examples. */
export function seedExamples(): Example[] {
  const rows = readRows(new URL("data/seeds.txt", import.meta.url));
  return rows.map(([[label = ""] = [], text = []]) => ({ text: text.join(", "), label }));
}

/** Most characters of small talk. */
const SMALL_TALK_LENGTH = { zh: 8, en: 24 };
/** Least confidence of the classifier; more is asked of a question that names no concept of the domain. */
const LEAST_CONFIDENCE = { inDomain: 0.35, offDomain: 0.75 };
/** From this confidence on, a follow-up is classified by itself. */
const CONFIDENT = 0.9;

const OUT_OF_SCOPE: Classification = { label: "out_of_scope/general", confidence: 0.5, ranked: [] };

/** The letters and digits of a text, folded: equal for a seed and the same question with other punctuation. */
function canonical(text: string): string {
  return fold(text).replace(/[^\p{L}\p{N}]+/gu, "");
}

const annotate = conceptsIn;

/** Trained by the build and kept beside the bundle: training takes longer than the rest of a start. */
export const TRAINED_FILE = "router.trained";

/** The bytes of `TRAINED_FILE`: the model trained on the bundled examples. */
export function trainedRouter(): Uint8Array {
  return serialize(train(seedExamples(), { annotate }));
}

/** The model trained by the build; undefined where this file is not bundled. */
function readTrained(): Trained | undefined {
  try {
    return deserialize(readFileSync(new URL(TRAINED_FILE, import.meta.url))) as Trained;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** What a router knows: the trained classifier, and the label of each example. */
interface Learned {
  readonly classifier: Classifier;
  readonly known: ReadonlyMap<string, string>;
}

function learn(examples: readonly Example[], built?: Trained): Learned {
  return {
    classifier: createClassifier(built ?? train(examples, { annotate }), annotate),
    known: new Map(examples.map(({ text, label }) => [canonical(text), label])),
  };
}

/** What was learned from the bundled examples, which are the same for every router of the process. */
let bundled: Learned | undefined;

/** Assigns a route to each question. */
export type Router = (question: string, context: RouteContext) => Routing;

/**
 * A router trained on the examples, the bundled ones by default; their labels are `route/sub_intent`. Training waits for
 * the first question.
 */
export function createRouter(others?: readonly Example[]): Router {
  let learned: Learned | undefined;

  function classify(question: string, { previous, page_context }: RouteContext): Classification {
    learned ??= others === undefined ? (bundled ??= learn(seedExamples(), readTrained())) : learn(others);
    const { classifier, known } = learned;
    const words = canonical(question);
    const label = words === "" ? "small_talk/capability" : known.get(words);
    if (label !== undefined) return { label, confidence: 1, ranked: [] };
    if (isAssetName(question)) return { label: "news/symbol", confidence: CONFIDENT, ranked: [] };
    if (asksAdvice(question)) return { label: "out_of_scope/investment_advice", confidence: 1, ranked: [] };
    const core = withoutCourtesy(question);
    const best = classifier.classify(core);
    if (previous !== undefined && best.confidence < CONFIDENT && isElliptical(question)) {
      const joined = classifier.classify(`${withoutCourtesy(previous)} ${core}`);
      if (joined.confidence >= LEAST_CONFIDENCE.inDomain) return joined;
    }
    // Small talk is short; a longer question that only resembles it ("can you add 5 and 89") is something else.
    const talk =
      best.label.startsWith("small_talk/") &&
      core.length <= (hasHan(core) ? SMALL_TALK_LENGTH.zh : SMALL_TALK_LENGTH.en);
    if (isInDomain(core) || talk) return best.confidence >= LEAST_CONFIDENCE.inDomain ? best : OUT_OF_SCOPE;
    if (page_context !== undefined && isInDomain(page_context)) {
      const placed = classifier.classify(`${page_context} ${core}`);
      if (placed.confidence >= LEAST_CONFIDENCE.offDomain) return placed;
    }
    return best.confidence >= LEAST_CONFIDENCE.offDomain ? best : OUT_OF_SCOPE;
  }

  return (question, context) => {
    const { label, confidence } = classify(question, context);
    const { route, sub_intent } = fromLabel(label);
    const aboutAsset = route === "news" && sub_intent === "latest" && assetsInQuestion(question).size > 0;
    return {
      route,
      sub_intent: aboutAsset ? "symbol" : sub_intent,
      lang: detectLanguage(question),
      confidence,
      research: asksResearch(question),
    };
  };
}

const RESEARCH =
  /深度(?:分析|研究|解读|调研|报告)|深入(?:分析|研究|解读)|详细研究|研究报告|全面(?:分析|研究)|\b(?:deep(?:er)? (?:research|analysis|dive)|in[- ]depth (?:research|analysis|report|look)|research (?:report|on|about|into)|do (?:some |a )?research|comprehensive (?:analysis|report|research)|thorough(?:ly)? (?:analy[sz]e|analysis|research))\b|^\s*(?:please\s+|can you\s+|could you\s+)?research\b/u;

/** Words that name the feature itself: "what is advanced research" asks about it, not for it. */
const ABOUT_RESEARCH =
  /(?:深度研究|advanced research|deep research)(?:功能|是什么| feature|\?|？|$)|(?:什么是|what is|do i have|能用)/u;

/** Whether the user asks for deep research. */
function asksResearch(question: string): boolean {
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
