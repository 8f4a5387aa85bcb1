import type { z } from "zod";
import type { sentimentOverview } from "../../contract/schemas/news-schemas.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { fillTemplate } from "../../runtime/text/fill-template.ts";
import WORDINGS from "./replies.json" with { type: "json" };

type MarketMood = Omit<z.infer<typeof sentimentOverview>, "updated_at"> & { readonly hot: readonly string[] };
const { market: MARKET } = WORDINGS;
const TOPICS = { narrow: 5, wide: 10 };

function describeMood(mood: Omit<MarketMood, "hot">, lang: Language): string {
  const band = mood.index === null ? undefined : MARKET.bands.find(({ below }) => mood.index! < below)?.[lang];
  const text = MARKET.mood[lang] + (band === undefined ? "" : MARKET.index[lang]);
  return fillTemplate(text, { ...mood, label: MARKET.sentiments[lang][mood.dominant], band });
}

/** The answer to a question about the market; `known` is false when there are no figures to answer from. */
export function answerMarket(subIntent: string, market: MarketMood, lang: Language, wide: boolean) {
  if (subIntent === "past") return { text: MARKET.onlyNow[lang], known: false };
  if (subIntent === "price") return { text: MARKET.noPrices[lang], known: false };
  if (subIntent === "hot_topics" && market.hot.length === 0) return { text: MARKET.noData[lang], known: false };
  const topics = [MARKET.hotTopics[lang], ...market.hot.slice(0, wide ? TOPICS.wide : TOPICS.narrow)].join("\n");
  if (subIntent === "hot_topics") return { text: topics, known: true };
  const mood = describeMood(market, lang);
  return { text: wide && market.hot.length > 0 ? `${mood}\n${topics}` : mood, known: true };
}
