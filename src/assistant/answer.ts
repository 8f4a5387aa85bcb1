import type { MarketMood } from "./answering/market-answer.ts";
import type { SourceItem } from "./passage.ts";
import type { Routing } from "./routing/routing.ts";

/** An earlier question of the conversation and its answer. */
export interface Turn {
  readonly question: string;
  readonly answer: string;
}

export interface AnswerRequest {
  readonly question: string;
  readonly routing: Routing;
  /** Earlier turns, oldest first; empty when the user's plan has no memory. */
  readonly history: readonly Turn[];
  /** Advanced research: more passages, several aspects, a longer answer. */
  readonly wide: boolean;
  /** Scene of the page that the user is on. */
  readonly page_context?: string;
  /** Ticker of the asset on the user's page. */
  readonly token_symbol?: string;
  /** Milliseconds since the Unix epoch: what "latest" is measured from. */
  readonly now: number;
  /** For route `market`. */
  readonly market?: MarketMood;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly text: string;
  /** The passages that the text quotes, or that the model cites. */
  readonly sources: SourceItem[];
  /** Whether the question was answered: false when nothing was found, and when it is out of scope. */
  readonly grounded: boolean;
  /** The routing it was answered under: `help` when passages answer a question that was routed out of scope. */
  readonly routing: Routing;
  /** The model's id, or "local-extractive". */
  readonly model_name: string;
}
