import type { Language } from "../../contract/schemas/shared-fields.ts";
import { ACCOUNT_SEEDS } from "./seeds/account-seeds.ts";
import { HELP_SEEDS } from "./seeds/help-seeds.ts";
import { MARKET_SEEDS } from "./seeds/market-seeds.ts";
import { NEWS_SEEDS } from "./seeds/news-seeds.ts";
import { NOTICE_SEEDS } from "./seeds/notice-seeds.ts";
import { OUT_OF_SCOPE_SEEDS } from "./seeds/out-of-scope-seeds.ts";
import type { RouteSeeds } from "./seeds/seed.ts";
import { SMALL_TALK_SEEDS } from "./seeds/small-talk-seeds.ts";

/** The seed utterances of every route: what the classifier learns, and the list of the routes and sub-intents. */
export const SEEDS = {
  account: ACCOUNT_SEEDS,
  help: HELP_SEEDS,
  notice: NOTICE_SEEDS,
  news: NEWS_SEEDS,
  market: MARKET_SEEDS,
  small_talk: SMALL_TALK_SEEDS,
  out_of_scope: OUT_OF_SCOPE_SEEDS,
} as const satisfies Record<string, RouteSeeds>;

/** What kind of answer a question gets. */
export type Route = keyof typeof SEEDS;

/** The route of a question, and what it is based on. */
export interface Routing {
  readonly route: Route;
  /** Subject within the route: `withdrawal` of `help`, `balance` of `account`. */
  readonly sub_intent: string;
  /** The language of the question, which is the language of the answer. */
  readonly lang: Language;
  /** 0 to 1: the estimated probability that route and sub-intent are right. */
  readonly confidence: number;
  /** The user requests deep research. Whether the plan includes it is not decided here. */
  readonly research: boolean;
}
