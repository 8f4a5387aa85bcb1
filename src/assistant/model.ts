import type { Turn } from "./answer.ts";
import type { Lang, Passage } from "./passage.ts";

/** What the model is to answer, and from what. */
export interface ModelRequest {
  readonly question: string;
  readonly lang: Lang;
  readonly history: readonly Turn[];
  /** Numbered [1]..[n] in this order. */
  readonly passages: readonly Passage[];
  /** A longer answer of several aspects. */
  readonly wide: boolean;
  readonly signal?: AbortSignal;
}

/** The model's answer: its text without citation marks, and the passages it cites. Null: the passages do not answer. */
export interface ModelAnswer {
  readonly text: string;
  readonly cited: readonly Passage[];
}

/** A model that words answers from passages. */
export interface ModelGateway {
  /** The model's id. */
  readonly name: string;
  /** What answers when the model fails. */
  readonly fallback: "none" | "extractive";
  /** @throws AnpError 1007 when the model is exhausted, failed, timed out or said nothing */
  generate(request: ModelRequest): Promise<ModelAnswer | null>;
}
