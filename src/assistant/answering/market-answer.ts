import type { Language, Sentiment } from "../../contract/schemas/shared-fields.ts";

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
} as const satisfies Record<Language, Record<Sentiment, string>>;

/** Bands of the fear-and-greed index, by their upper bound. */
const BANDS = [
  { below: 25, zh: "极度恐惧", en: "extreme fear" },
  { below: 45, zh: "恐惧", en: "fear" },
  { below: 56, zh: "中性", en: "neutral" },
  { below: 76, zh: "贪婪", en: "greed" },
  { below: Infinity, zh: "极度贪婪", en: "extreme greed" },
] as const;

/** A sentence on the mood, with the counts it is based on. */
function describeMood({ dominant, positive, neutral, negative, index }: MarketMood, lang: Language): string {
  const label = LABELS[lang][dominant];
  const band = index === null ? undefined : BANDS.find(({ below }) => index < below)?.[lang];
  if (lang === "zh") {
    const counts = `近期资讯中积极 ${positive} 条、中性 ${neutral} 条、消极 ${negative} 条，整体情绪${label}。`;
    return band === undefined ? counts : `${counts}恐惧与贪婪指数为 ${index ?? ""}，属于${band}。`;
  }
  const counts = `The overall mood of recent news is ${label}: ${positive} positive, ${neutral} neutral and ${negative} negative items.`;
  return band === undefined ? counts : `${counts} The fear-and-greed index is ${index ?? ""}, which means ${band}.`;
}

const TOPICS = { narrow: 5, wide: 10 };

const WORDING = {
  hotTopics: { zh: "当前热点：", en: "Hot topics now:" },
  noMarketData: {
    zh: "抱歉，我暂时没有市场情绪和热点的数据，请稍后再试。您也可以问我：今天有哪些重要新闻？",
    en: "Sorry, I have no data on the market mood and the hot topics at the moment; please try again later. You could also ask: what is the important news today?",
  },
  noPrices: {
    zh: "我没有实时行情，价格请以平台的行情页面为准。我可以为您提供相关资讯或市场情绪，例如：BTC 有什么新闻？",
    en: "I don't have live prices; please see the platform's market page. I can bring you related news or the market mood; for example: any news on BTC?",
  },
} as const satisfies Record<string, Readonly<Record<Language, string>>>;

/** The answer to a question about the market; `known` is false when there are no figures to answer from. */
export function answerMarket(
  subIntent: string,
  market: MarketMood | undefined,
  lang: Language,
  wide: boolean,
): { readonly text: string; readonly known: boolean } {
  if (subIntent === "price") return { text: WORDING.noPrices[lang], known: false };
  if (market === undefined) return { text: WORDING.noMarketData[lang], known: false };
  const topics = [WORDING.hotTopics[lang], ...market.hot.slice(0, wide ? TOPICS.wide : TOPICS.narrow)].join("\n");
  if (subIntent === "hot_topics") {
    return market.hot.length === 0 ? { text: WORDING.noMarketData[lang], known: false } : { text: topics, known: true };
  }
  const mood = describeMood(market, lang);
  return { text: wide && market.hot.length > 0 ? `${mood}\n${topics}` : mood, known: true };
}
