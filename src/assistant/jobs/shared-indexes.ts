import { sha256 } from "../../runtime/json/canonical-json.ts";
import type { MeaningRows } from "../../language/thesaurus.ts";
import type { PassageChanges } from "../passage.ts";
import { AnswerIndex } from "../retrieval/answer-index.ts";

/** Begins an index without passages, for an operator's words. */
export type BeginIndex = ReturnType<typeof createSharedIndexes>;

/** Begins an index that nobody else has. */
export const beginIndex: BeginIndex = (lexicon) => {
  const index = new AnswerIndex([], lexicon);
  return { index: () => index, change: (changes) => index.change(changes), once: (_, find) => find(index) };
};

/** Indexes that several services of one process have in common as long as their content is the same, with what their jobs
 * found on them. One is built when it is first searched, and never changed: other content is another index. */
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
      /** What `find` found with an equal question on equal content before, or finds now. */
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
