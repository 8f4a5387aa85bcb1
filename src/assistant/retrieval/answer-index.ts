import type { Dictionary } from "../../language/dictionary/dictionary.ts";
import { Thesaurus, type MeaningRows } from "../../language/thesaurus.ts";
import type { Passage, PassageChanges } from "../passage.ts";
import { EvidenceIndex } from "./evidence-index.ts";
import { gatherEvidence, type Findings } from "./gather-evidence.ts";
import { QuestionTerms } from "./question-terms.ts";
import type { Search } from "./rank-articles.ts";

/** What the assistant answers from: the passages, ready for search. */
export class AnswerIndex {
  readonly #evidence = new EvidenceIndex();
  readonly #terms: QuestionTerms;

  /** @param lexicon the operator's words for what the passages are about, beside the everyday ones */
  constructor(dictionary: Dictionary, passages: readonly Passage[] = [], lexicon: MeaningRows = []) {
    this.#terms = new QuestionTerms(this.#evidence, dictionary, new Thesaurus(lexicon));
    this.change({ removed: [], added: passages });
  }

  /** Applies changes, at the cost of what changes. Results are then those of an index built anew. */
  change(changes: PassageChanges): void {
    this.#evidence.change(changes);
  }

  get size(): number {
    return this.#evidence.size;
  }

  /** All passages, in no particular order. */
  passages(): Passage[] {
    return Array.from(this.#evidence.passages(), ({ passage }) => passage);
  }

  search(search: Search): Findings {
    return gatherEvidence(this.#evidence, this.#terms, search);
  }
}
