import type { Language } from "../../contract/schemas/shared-fields.ts";

export const ROUTES = ["account", "help", "notice", "news", "market", "small_talk", "out_of_scope"] as const;
/** What kind of answer a question gets. */
export type Route = (typeof ROUTES)[number];

/** From this confidence on, the router knows what a question is about. */
export const SURE = 0.9;

/** The route of a question, and what it is based on. */
export interface Routing {
  readonly route: Route;
  readonly sub_intent: string; // Subject within the route: `withdrawal` of `help`, `balance` of `account`.
  readonly lang: Language; // The language of the question, which is the language of the answer.
  readonly confidence: number; // 0 to 1: the estimated probability that route and sub-intent are right.
  readonly research: boolean; // The user requests deep research. Whether the plan includes it is not decided here.
}
