import { sha256 } from "../runtime/json/canonical-json.ts";
import type { MeaningRows } from "../language/thesaurus.ts";
import { createAssistant } from "./assistant.ts";
import type { PassageChanges } from "./passage.ts";
import type { AnswerIndex } from "./retrieval/answer-index.ts";

/** Indexes that several services of one process have in common, and what their jobs found on them. */
export type SharedIndexes = ReturnType<typeof createSharedIndexes>;

/** An index that is shared as long as its content is the same. */
export type SharedIndex = ReturnType<SharedIndexes["begin"]>;

/** An index is built when it is first searched, and never changed: other content is another index. */
export function createSharedIndexes() {
  const assistant = createAssistant();
  const built = new Map<string, { readonly index: AnswerIndex; readonly found: Map<string, string[]> }>();

  return {
    assistant,
    /** Begins an index without passages. */
    begin(lexicon: MeaningRows) {
      const changes: PassageChanges[] = [];
      let content = sha256(JSON.stringify(lexicon));

      function open() {
        let known = built.get(content);
        if (known === undefined) {
          const index = assistant.index([], lexicon);
          for (const each of changes) index.change(each);
          built.set(content, (known = { index, found: new Map() }));
        }
        return known;
      }

      return {
        index: () => open().index,
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
    },
  };
}
