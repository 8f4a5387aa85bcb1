import { STOP_CHARACTERS, STOP_PAIRS, STOP_WORDS } from "../text/stop-terms.ts";
import { stem } from "../text/stem.ts";
import { termsOf, unitsOf } from "../text/terms.ts";
import { relatedTerms } from "./synonyms.ts";

/** What to look for: terms with their weights. */
export interface Query {
  /** Term → weight; 1 for a plain word of the question. */
  readonly terms: ReadonlyMap<string, number>;
}

/** Weights by the kind of a term; found on CMRC 2018 and XQuAD. */
const WEIGHTS = { character: 0.25, pairWithStop: 0.4, related: 0.35, history: 0.4 };

const HAN = /^\p{Script=Han}+$/u;

/** The weight of a term of a question: 0 for what every question holds, less for a lone Chinese character. */
function weightOf(term: string): number {
  if (!HAN.test(term)) return STOP_WORDS.has(term) ? 0 : 1;
  const characters = Array.from(term);
  if (characters.length === 1) return STOP_CHARACTERS.has(term) ? 0 : WEIGHTS.character;
  if (STOP_PAIRS.has(term)) return 0;
  const stops = characters.filter((character) => STOP_CHARACTERS.has(character)).length;
  return stops === 0 ? 1 : stops === 1 ? WEIGHTS.pairWithStop : 0;
}

function addTerms(terms: Map<string, number>, text: string, scale: number): void {
  for (const term of termsOf(text)) {
    const weight = weightOf(term) * scale;
    if (weight > (terms.get(term) ?? 0)) terms.set(term, weight);
  }
}

/**
 * The query of a question. `context` (earlier questions, an asset's symbol) counts less than the question's own words;
 * terms of the trade bring their synonyms at a lower weight.
 */
export function toQuery(question: string, context: readonly string[] = []): Query {
  const terms = new Map<string, number>();
  addTerms(terms, question, 1);
  for (const text of context) addTerms(terms, text, WEIGHTS.history);
  const related = new Map<string, number>();
  for (const phrase of relatedTerms([question, ...context].join("\n"))) addTerms(related, phrase, WEIGHTS.related);
  for (const [term, weight] of related) if (!terms.has(term)) terms.set(term, weight);
  return { terms };
}

/** Whether the question has words of its own to search by. */
export function hasContent(question: string): boolean {
  return unitsOf(question).some(({ text, han }) =>
    han ? termsOf(text).some((term) => weightOf(term) >= 1) : !STOP_WORDS.has(stem(text)),
  );
}
