import type { Language } from "../contract/schemas/shared-fields.ts";
import type { SourceItem } from "./passage.ts";
import type { Nearness } from "./retrieval/vector-index.ts";

export const ROUTES = ["account", "help", "notice", "news", "market", "small_talk", "out_of_scope"] as const;
/** What kind of answer a question gets. */
export type Route = (typeof ROUTES)[number];

/** Minimum confidence at which the router's route is certain. */
export const MIN_CONFIDENCE = 0.9;

/** The route of a question, and what it is based on. */
export interface Routing {
  readonly route: Route;
  readonly sub_intent: string; // Subject within the route: `withdrawal` of `help`, `balance` of `account`.
  readonly lang: Language; // The language of the question, which is the language of the answer.
  readonly confidence: number; // 0 to 1: the estimated probability that route and sub-intent are right.
  readonly research: boolean; // The user requests deep research. The caller checks whether the plan includes it.
}

/** An earlier question of the conversation and its answer. */
export type Turn = { readonly question: string; readonly answer: string };

export interface AnswerRequest {
  readonly question: string;
  readonly routing: Routing;
  readonly history: readonly Turn[]; // Earlier turns, oldest first; empty when the user's plan has no memory.
  readonly wide: boolean; // Advanced research: more passages, several aspects, a longer answer.
  readonly lang?: Language | undefined; // Language of the answer to a question without words.
  readonly page_context?: string; // Scene of the page that the user is on.
  readonly token_symbol?: string; // Ticker of the asset on the user's page.
  readonly now: number; // Milliseconds since the Unix epoch, the reference time of "latest".
  readonly zone?: string; // UTC offset of the reader's days, such as `+08:00`; UTC when absent.
  readonly hasModel?: boolean;
  readonly isPart?: boolean; // One of several questions in one.
  readonly about?: readonly string[]; // Ids of a suggested question's passages, which answer it if they can.
  readonly near?: Nearness | undefined; // Nearness of the passages to the question; absent without vectors.
}

/** The outcome of a question: `answered` with certainty, `unsure` when the shown text may not answer it, `offered` when
 * titles are shown to choose from, `declined` when nothing is shown. Only an answered question is charged. */
export type AnswerOutcome = "answered" | "unsure" | "offered" | "declined";
/** A text with the passages it quotes or cites. */
export type Quotation = Pick<Answer, "text" | "sources">;

export interface Answer {
  readonly text: string;
  /** The passages that the text quotes, that the model cites, or whose titles are offered. */
  readonly sources: SourceItem[];
  readonly outcome: AnswerOutcome;
  readonly routing: Routing; // The routing it was answered under: the kind of the evidence determines the route.
  readonly model_name: string; // The model's id, or "local-extractive".
}
