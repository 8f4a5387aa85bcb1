import type { Sentiment } from "../../contract/schemas/fields.ts";
import type { Lang } from "../passage.ts";
import { LEADS } from "./replies.ts";

/** The market's mood and hot topics, as the service counts them. */
export interface MarketMood {
  readonly dominant: Sentiment;
  /** Numbers of news items. */
  readonly positive: number;
  readonly neutral: number;
  readonly negative: number;
  /** Fear-and-greed index, 0 fear to 100 greed. */
  readonly index: number | null;
  /** Titles of the hot topics, hottest first. */
  readonly hot: readonly string[];
}

const LABELS = {
  zh: { positive: "偏积极", neutral: "中性", negative: "偏消极" },
  en: { positive: "positive", neutral: "neutral", negative: "negative" },
} as const satisfies Record<Lang, Record<Sentiment, string>>;

/** Bands of the fear-and-greed index, by their upper bound. */
const BANDS = [
  { below: 25, zh: "极度恐惧", en: "extreme fear" },
  { below: 45, zh: "恐惧", en: "fear" },
  { below: 56, zh: "中性", en: "neutral" },
  { below: 76, zh: "贪婪", en: "greed" },
  { below: Infinity, zh: "极度贪婪", en: "extreme greed" },
] as const;

/** The mood in words, with the counts it comes from. */
export function describeMood({ dominant, positive, neutral, negative, index }: MarketMood, lang: Lang): string {
  const label = LABELS[lang][dominant];
  const band = index === null ? undefined : BANDS.find(({ below }) => index < below)?.[lang];
  if (lang === "zh") {
    const counts = `近期资讯中积极 ${positive} 条、中性 ${neutral} 条、消极 ${negative} 条，整体情绪${label}。`;
    return band === undefined ? counts : `${counts}恐惧与贪婪指数为 ${index ?? ""}，属于${band}。`;
  }
  const counts = `The overall mood of recent news is ${label}: ${positive} positive, ${neutral} neutral and ${negative} negative items.`;
  return band === undefined ? counts : `${counts} The fear-and-greed index is ${index ?? ""}, which means ${band}.`;
}

/** The hot topics, one a line. */
export function listHotTopics({ hot }: MarketMood, lang: Lang, limit: number): string {
  return [LEADS.hotTopics[lang], ...hot.slice(0, limit)].join("\n");
}
