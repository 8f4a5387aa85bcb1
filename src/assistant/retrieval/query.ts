import { STOP_CHARACTERS, STOP_PAIRS, STOP_WORDS } from "../../language/stop-words.ts";
import { termsOf } from "../../language/terms.ts";
import { answerTypeOf } from "./answer-type.ts";

/** Weighted search terms. */
export interface Query {
  /** Term → weight; 1 for a plain word of the question. */
  readonly terms: ReadonlyMap<string, number>;
  /** Whether a sentence contains the kind of answer that is asked for: a number, a time, a place. */
  readonly fits?: (sentence: string) => boolean;
}

/** Weights by the kind of a term; tuned on CMRC 2018 and XQuAD. */
const WEIGHTS = { character: 0.25, pairWithStop: 0.4, previous: 0.8, asset: 0.25 };

const HAN = /^\p{Script=Han}+$/u;

/** The weight of a term of a question: 0 for a stop word, less than 1 for a single Chinese character. */
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

/** Context of a question. */
export interface QueryContext {
  /** The question before, when this one is incomplete without it. */
  readonly previous?: string;
  /** Symbol of the asset that the user looks at. */
  readonly asset?: string;
}

/** The query of a question. Its context counts less than its own words. */
export function toQuery(question: string, { previous, asset }: QueryContext = {}): Query {
  const terms = new Map<string, number>();
  addTerms(terms, question, 1);
  if (previous !== undefined) addTerms(terms, previous, WEIGHTS.previous);
  if (asset !== undefined) addTerms(terms, asset, WEIGHTS.asset);
  const fits = answerTypeOf(question);
  return fits === undefined ? { terms } : { terms, fits };
}
