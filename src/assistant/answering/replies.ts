import type { z } from "zod";
import type { sentimentOverview } from "../../contract/schemas/news-schemas.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { offsetMinutes } from "../../runtime/clock.ts";
import { fillTemplate } from "../../runtime/text/fill-template.ts";
import type { Passage } from "../passage.ts";
import WORDINGS from "./replies.json" with { type: "json" };

type Wordings = Readonly<Record<string, Readonly<Record<Language, string>>>>;
const SMALL_TALK: Wordings = WORDINGS.smallTalk;
export const NOT_FOUND: Wordings = WORDINGS.notFound; // By route.

export const smallTalk = (subIntent: string, lang: Language): string =>
  (SMALL_TALK[subIntent] ?? WORDINGS.smallTalk.chat)[lang];

/** Fixed replies, which state no fact that needs a source, and the first lines of lists of headlines. */
export const { replies: REPLIES, leads: LEADS, notThen: NOT_THEN } = WORDINGS;
/** The introductions of a list of titles to choose from, and of a quotation from an article in the other language. */
export const { offer: OFFER, foreignSource: FOREIGN_SOURCE, foreignTitle: FOREIGN_TITLE } = WORDINGS;

const datesIn = memoized((locale: string) => Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }), 2);
/** The outlets of an event and the day of the first report in a time zone: ` (Block Harbor, 19 November 2026)`. */
export function reportedBy(reports: readonly Passage[], lang: Language, zone = "Z"): string {
  const outlets = reports.flatMap(({ outlet }) => outlet ?? []).join(lang === "zh" ? "、" : ", ");
  if (outlets === "") return "";
  const at = Date.parse(reports[0]!.published_at ?? "") + offsetMinutes(zone)! * 60_000;
  return fillTemplate(WORDINGS.reported[lang], { outlets, date: datesIn(WORDINGS.locales[lang]).format(at) });
}

/** Marks an answer as unsure, in its text and outcome. */
export function asUnsure<A extends { readonly text: string }>(answer: A, lang: Language) {
  return { ...answer, text: `${WORDINGS.unsure[lang]}\n${answer.text}`, outcome: "unsure" as const };
}

const { market: MARKET } = WORDINGS;
export const ONLY_NOW = MARKET.onlyNow; // Reply to a question about the mood or the topics of another day.
type MarketMood = Omit<z.infer<typeof sentimentOverview>, "updated_at"> & { readonly hot: readonly string[] };

/** The answer to a question about the market; `known` is false when there are no figures to answer from. */
export function answerMarket(subIntent: string, { hot, ...mood }: MarketMood, lang: Language, wide: boolean) {
  if (subIntent === "price") return { text: MARKET.noPrices[lang], known: false };
  if (subIntent === "hot_topics" && hot.length === 0) return { text: MARKET.noData[lang], known: false };
  const topics = [MARKET.hotTopics[lang], ...hot].join("\n");
  if (subIntent === "hot_topics") return { text: topics, known: true };
  const band = mood.index === null ? undefined : MARKET.bands.find(({ below }) => mood.index! < below)?.[lang];
  const template = MARKET.mood[lang] + (band === undefined ? "" : MARKET.index[lang]);
  const text = fillTemplate(template, { ...mood, label: MARKET.sentiments[lang][mood.dominant], band });
  return { text: wide && hot.length > 0 ? `${text}\n${topics}` : text, known: true };
}
