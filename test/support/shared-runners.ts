import { createAssistantJobs } from "../../src/assistant/jobs/assistant-jobs.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import type { PassageChanges } from "../../src/assistant/passage.ts";
import { createInProcessRunner } from "../../src/compute/in-process-runner.ts";
import type { MeaningRows } from "../../src/language/thesaurus.ts";
import { newsInProcess } from "../../src/news/jobs/news-runner.ts";
import { sha256 } from "../../src/runtime/json/canonical-json.ts";
import type { JobRunners } from "../../src/service/service.ts";

/** A factory of runners in this process that share the indexes of equal content, for the many services of a test file. */
export function sharedAssistants() {
  const begin = createSharedIndexes();
  return () => createInProcessRunner(() => createAssistantJobs(begin), 30_000);
}

/** The same with runners of the jobs on news. */
export function sharedRunners(): () => JobRunners {
  const openAssistant = sharedAssistants();
  const news = { ...newsInProcess(), close: () => Promise.resolve() }; // Other services still use it.
  return () => ({ assistant: openAssistant(), news });
}

/** Indexes that services of one process share while their content is equal, with cached results of their jobs. An index is
 * built when it is first searched, and immutable: changed content is another index. */
function createSharedIndexes() {
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
