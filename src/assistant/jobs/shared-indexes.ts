import { sha256 } from "../../runtime/json/canonical-json.ts";
import type { MeaningRows } from "../../language/thesaurus.ts";
import type { PassageChanges } from "../passage.ts";
import { AnswerIndex } from "../retrieval/answer-index.ts";

/** Creates an empty index with an operator's synonyms. */
export type StartIndex = ReturnType<typeof createSharedIndexes>;

/** Creates an index that is not shared. */
export const startIndex: StartIndex = (lexicon) => {
  const index = new AnswerIndex([], lexicon);
  return { index: () => index, change: (changes) => index.change(changes), once: (_, find) => find(index) };
};

/** Indexes that services of one process share while their content is equal, with cached results of their jobs. An index is
 * built when it is first searched, and immutable: changed content is another index. */
export function createSharedIndexes() {
  const built = new Map<string, { readonly index: AnswerIndex; readonly found: Map<string, string[]> }>();
  return (lexicon: MeaningRows) => {
    const changes: PassageChanges[] = [];
    let content = sha256(JSON.stringify(lexicon));

    function open() {
      let known = built.get(content);
      if (known === undefined) {
        const index = new AnswerIndex([], lexicon);
        for (const each of changes) index.change(each);
        built.set(content, (known = { index, found: new Map() }));
      }
      return known;
    }

    return {
      index: (): AnswerIndex => open().index,
      change(more: PassageChanges): void {
        changes.push(more);
        content = sha256(JSON.stringify([content, more]));
      },
      /** The result of `find`, cached by question and content. */
      once(question: unknown, find: (index: AnswerIndex) => string[]): string[] {
        const { index, found } = open();
        const key = JSON.stringify(question);
        const before = found.get(key) ?? find(index);
        found.set(key, before);
        return before;
      },
    };
  };
}
