import { isFunctional, QUESTION_WORDS } from "../../language/stop-words.ts";
import { readMeanings } from "../../language/thesaurus.ts";
import { product } from "../../runtime/product.ts";
import { LanguageIndex } from "./language-index.ts";

let opened: LanguageIndex | undefined; // The same for the whole process.

/** The rows of the thesauri, as documents. */
export function openRows(): LanguageIndex {
  if (opened !== undefined) return opened;
  opened = new LanguageIndex();
  for (const [at, row] of readMeanings().entries()) opened.add(at, { title: "", body: row.flat().join("\n") });
  return opened;
}

/** How rare a term is in what is said about services, 0 to 1: 1 if no row of the thesauri has it. */
export function rarityOf(term: string): number {
  const rows = openRows();
  return Math.log(1 + rows.size / (1 + rows.documentFrequency(term))) / Math.log(1 + rows.size);
}

/** How much a text is like each row of the thesauri, as a vector of length 1: explicit semantic analysis (Gabrilovich &
 * Markovitch 2007), by which texts that share no word may be alike, in either language.
 * @param parts terms with their weight; that of the last part counts
 * @returns also how much of the text the rows speak of, 0 to 1 */
export function situationsIn(...parts: readonly (readonly [terms: Iterable<string>, weight: number])[]) {
  const weights = new Map(parts.flatMap(([terms, weight]) => Array.from(terms, (term) => [term, weight] as const)));
  const telling = [...weights].filter(([term]) => !isFunctional(term) && !QUESTION_WORDS.has(term));
  const scores = openRows().score(
    telling.map(([term, weight]) => ({
      weight: weight * rarityOf(term),
      alternatives: [{ terms: [term], weight: 1 }],
    })),
  );
  const vector = scores.toVector();
  const length = Math.sqrt(product(vector, vector)) || 1;
  return { vector: vector.map((x) => x / length), strength: Math.min(1, length / (scores.mass || 1)) };
}
