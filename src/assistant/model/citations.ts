import type { Passage } from "../passage.ts";
import { numbersIn } from "../grounding/statements.ts";
import { NO_ANSWER } from "./model-prompt.ts";

/** A model's answer with its citations resolved. */
export interface CitedAnswer {
  /** A mark `[k]` refers to the k-th of `cited`. */
  readonly text: string;
  /** The passages that the text cites, by first mention. */
  readonly cited: readonly Passage[];
}

const MARKS = /(?<![ \t])([ \t]*)[[【]\s*(\d{1,3}(?:\s*[-–,，、;]\s*\d{1,3})*)\s*[\]】]/g;

/**
 * Maps the citation marks of a model's answer to the passages. Marks of passages that do not exist are dropped; the
 * others are renumbered by first mention. Null when the model replies that the passages do not answer, or cites none.
 */
export function resolveCitations(raw: string, passages: readonly Passage[]): CitedAnswer | null {
  const text = raw.trim();
  if (text.includes(NO_ANSWER)) return null;
  const cited: Passage[] = [];
  const renumbered = text.replace(MARKS, (_, space: string, list: string) => {
    const marks = passagesOf(list, passages).map((passage) => {
      if (!cited.includes(passage)) cited.push(passage);
      return `[${cited.indexOf(passage) + 1}]`;
    });
    return marks.length === 0 ? "" : space + marks.join("");
  });
  return cited.length === 0 ? null : { text: renumbered.trim(), cited };
}

/** The existing passages that a list like "1, 3-5" refers to. */
function passagesOf(list: string, passages: readonly Passage[]): Passage[] {
  return [...new Set(numbersIn(list).flatMap((number) => passages[number - 1] ?? []))];
}

/** The text up to its last whole sentence, for a reply that was cut at the token limit; empty without one. */
export function dropCutSentence(text: string): string {
  return /^[\s\S]*(?:[。！？!?]|\.(?=\s|\[|$))(?:\s*[[【]\d+[\]】])*["”’」）)]*/.exec(text)?.[0] ?? "";
}
