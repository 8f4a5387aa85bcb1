import { createAssistant, type AskedQuestion, type PreparedQuestion } from "./assistant.ts";
import type { Checked, GeneratedAnswer } from "./answering/model-answer.ts";
import type { MeaningRows } from "../language/thesaurus.ts";
import type { CheckedRequest } from "./grounding/reply-fault.ts";
import type { PassageChanges } from "./passage.ts";
import type { AnswerIndex } from "./retrieval/answer-index.ts";

/** Which content an index has to hold: a worker that was replaced has none. */
interface OnIndex {
  readonly index: number;
}

/** What the assistant computes from foreign text, as jobs on one index. Undefined: another index is held, or none. */
export type AssistantJobs = ReturnType<typeof createAssistantJobs>;

/** Jobs with an index of their own. */
export function createAssistantJobs() {
  const assistant = createAssistant();
  let held: { readonly id: number; readonly index: AnswerIndex } | undefined;

  function indexOf({ index: id }: OnIndex): AnswerIndex | undefined {
    return held?.id === id ? held.index : undefined;
  }

  return {
    /** Loads the router, so that the first question need not wait for it. */
    warm(): void {
      assistant.route("warm", { history: [] });
    },
    /** Begins an index without passages. */
    begin({ index: id, lexicon }: OnIndex & { readonly lexicon: MeaningRows }): void {
      held = { id, index: assistant.index([], lexicon) };
    },
    /** Applies changes to the index; false when it is not held. */
    change({ index, ...changes }: OnIndex & PassageChanges): boolean {
      const on = indexOf({ index });
      on?.change(changes);
      return on !== undefined;
    },
    prepare({ index, ...asked }: OnIndex & AskedQuestion): PreparedQuestion | undefined {
      const on = indexOf({ index });
      return on && assistant.prepare(asked, on);
    },
    check(request: CheckedRequest): Checked<GeneratedAnswer | null> {
      return assistant.check(request);
    },
    /** The first `most` of the questions that are answered, by extraction, from one of the passages. */
    answered({ index, ...of }: OnIndex & SuggestedQuestions): string[] | undefined {
      const on = indexOf({ index });
      if (on === undefined) return undefined;
      const found: string[] = [];
      for (const question of of.questions) {
        if (found.length >= of.most) break;
        const routing = assistant.route(question, { history: [] });
        const answer = assistant.answer({ question, routing, history: [], wide: false, now: of.now }, on);
        const [source] = answer?.outcome === "answered" ? answer.sources : [];
        if (source !== undefined && of.ids.includes(source.id)) found.push(question);
      }
      return found;
    },
  };
}

/** Questions that are suggested for some passages. */
export interface SuggestedQuestions {
  readonly questions: readonly string[];
  /** Ids of the passages. */
  readonly ids: readonly string[];
  readonly most: number;
  readonly now: number;
}
