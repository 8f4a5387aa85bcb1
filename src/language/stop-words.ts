import { stem } from "./porter-stem.ts";

/** English words that say nothing about the subject of a text, stemmed. Without "mine", whose stem is that of "mining". */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the and or but if of at by for with about to from in on as into than then so such that this these those there " +
    "is are was were be been being am do does did doing done have has had having will would shall should can could may " +
    "might must i me my we us our ours you your yours he him his she her hers it its they them their theirs what " +
    "which who whom whose when where why how not no nor only own same too very just also any some all both each few more " +
    "most other much many often long soon s t don now please tell show give let want need know get got am m re ve ll d"
  )
    .split(" ")
    .map(stem),
);

/**
 * The same for headlines, stemmed: "report" and "review" identify no event, but a question may be about one
 * (with these among the words of questions, XQuAD English loses 0.004 of recall@1 and 0.005 of refusals).
 */
export const HEADLINE_STOP_WORDS: ReadonlySet<string> = new Set([
  ...STOP_WORDS,
  ...`above after again against ago amid because before below between day down during first further gets getting go goes
  going here inc itself last latest like ltd make makes new news next off once one out over per report reports review
  said say says see set shows still take takes thing things think three through time today tonight two under until up
  update updates via video vs watch week while year years yesterday`
    .split(/\s+/)
    .map(stem),
]);

/** Chinese function characters and interrogatives. */
export const STOP_CHARACTERS: ReadonlySet<string> = new Set(
  "要最啥咋该弄得的了吗呢吧啊呀么嘛是在有和与及或也都就还而但我你您他她它们这那哪谁什怎样如何几多少为请问个些把被让给对于从会久能可以要想之其所以".split(
    "",
  ),
);

/** Chinese function words and interrogatives of two characters. */
export const STOP_PAIRS: ReadonlySet<string> = new Set(
  "多久 多长 最多 最少 什么 怎么 怎样 如何 多少 哪些 哪个 哪里 哪儿 为什 为何 请问 是否 是什 么是 有什 有哪 几个 可以 能否 告诉 我想 想要 知道 一下 这个 那个 我的 你们 他们 我们 时候 么时 么样 怎么样 样的 是多 个是 是哪".split(
    " ",
  ),
);
