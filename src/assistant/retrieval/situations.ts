import type { Language } from "../../contract/schemas/shared-fields.ts";
import { isFunctional, QUESTION_WORDS } from "../../language/stop-words.ts";
import { fold, stem, tokenizeFolded } from "../../language/tokenize.ts";
import { readSituations } from "../../language/thesaurus.ts";
import { LanguageIndex, termsOfFolded, termsOfWord, type TermGroup } from "./language-index.ts";
import TUNING from "./tuning.json" with { type: "json" };

const { least: LEAST, names: MOST_NAMES, most: MOST, weight: WEIGHT } = TUNING.situations;

let opened: ReturnType<typeof indexSituations> | undefined; // The same for the whole process, from the first search on.

/** An index of the situations, and the names of each: `a, b | 甲, 乙`. */
function indexSituations() {
  const index = new LanguageIndex();
  const names: string[] = [];
  for (const [en = [], zh = [], told = []] of readSituations()) {
    const named = [en, zh].map((words) => words.filter((word) => !word.includes("_")).slice(0, MOST_NAMES));
    const body = [...en, ...zh, ...told].join("\n").replaceAll("_", " ");
    index.add(names.length, { title: named.flat().join("\n"), body });
    names.push(named.map((words) => words.join(",")).join("|"));
  }
  return { index, names };
}

let last: { readonly question: string; readonly best: readonly (readonly [row: number, share: number])[] } | undefined;

/** The situations that are most like what a question tells, each with its share of a perfect match. */
function bestSituations(question: string): readonly (readonly [row: number, share: number])[] {
  const { index } = (opened ??= indexSituations());
  const terms = termsOfFolded(fold(question)).filter((term) => !isFunctional(term) && !QUESTION_WORDS.has(term));
  const telling = new Set(terms);
  if (telling.size < 2) return []; // A word alone tells none.
  const scores = index.score(
    Array.from(telling, (term) => ({ weight: 1, alternatives: [{ terms: [term], weight: 1 }] })),
  );
  const least = Math.max(LEAST.ofPerfect * scores.mass, LEAST.ofBest * scores.highest());
  const best = scores.best(MOST, () => 1).filter((row) => scores.of(row) >= least);
  return best.map((row) => [row, scores.of(row) / scores.mass]);
}

/** The names of the situations most like what a question tells, as groups for a search in one language: query expansion
 * from an external collection (Diaz & Metzler 2006, "Improving the estimation of relevance models using large external
 * corpora"). */
export function situationsLike(question: string, lang: Language): TermGroup[] {
  if (last?.question !== question) last = { question, best: bestSituations(question) }; // Both languages are searched.
  return last.best.map(([row, share]) => {
    const [en = "", zh = ""] = opened!.names[row]!.split("|");
    const words = (lang === "zh" ? zh : en).split(",").filter(Boolean);
    const alternatives = words.map((word) => ({ terms: termsOfName(word, lang), weight: 1 }));
    return { weight: WEIGHT * share, alternatives, isAdded: true };
  });
}

const termsOfName = (name: string, lang: Language): string[] =>
  lang === "zh" ? termsOfWord(name) : tokenizeFolded(name).map(({ text }) => stem(text));
