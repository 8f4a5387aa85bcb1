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

/** Where a question goes. */
export type Route = keyof typeof SEEDS;

/** Where a question goes and why. */
export interface Routing {
  readonly route: Route;
  /** What of the route is asked: `withdrawal` of `help`, `balance` of `account`. */
  readonly sub_intent: string;
  /** The language of the question, which is the language of the answer. */
  readonly lang: Language;
  /** 0 to 1: the estimated chance that route and sub-intent are right. */
  readonly confidence: number;
  /** The user asks for deep research. Whether the plan has it is not decided here. */
  readonly research: boolean;
}
