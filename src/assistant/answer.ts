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
  /** Scene the user is in. */
  readonly page_context?: string;
  /** Asset the user looks at. */
  readonly token_symbol?: string;
  /** Milliseconds since the Unix epoch: what "latest" is measured from. */
  readonly now: number;
  /** For route `market`. */
  readonly market?: MarketMood;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly text: string;
  /** What the text quotes, or what the model cites. */
  readonly sources: SourceItem[];
  /** Whether the question was answered: false for an honest "I found nothing" and for what is out of scope. */
  readonly grounded: boolean;
  /** The routing it was answered under: `help` when the passages answer what was taken as out of scope. */
  readonly routing: Routing;
  /** The model's id, or "local-extractive". */
  readonly model_name: string;
}
