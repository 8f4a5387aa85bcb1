import type { Language } from "../../contract/schemas/shared-fields.ts";

export const ROUTES = ["account", "help", "notice", "news", "market", "small_talk", "out_of_scope"] as const;

/** What kind of answer a question gets. */
export type Route = (typeof ROUTES)[number];

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
