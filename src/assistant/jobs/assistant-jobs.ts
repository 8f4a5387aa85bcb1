import { explainAnswer, prepareQuestion, type AskedQuestion, type PreparedQuestion } from "../assistant.ts";
import { prepareAnswer } from "../answering/answerer.ts";
import { checkReply } from "../answering/model-answer.ts";
import { readVectors } from "../embeddings/read-vectors.ts";
import type { Script } from "../../language/detect-language.ts";
import type { MeaningRows } from "../../language/thesaurus.ts";
import type { Passage, PassageChanges } from "../passage.ts";
import { AnswerIndex } from "../retrieval/answer-index.ts";
import { VectorIndex } from "../retrieval/vector-index.ts";
import { routeQuestion } from "../routing/router.ts";

type OnIndex = { readonly index: number }; // The id of the index that a job needs; a replaced worker has no index.
/** The assistant's jobs on foreign text, on one index. A job returns undefined if the worker does not hold that index. */
export type AssistantJobs = ReturnType<typeof createAssistantJobs>;

const TEXT = { title: "What is the fee?", text: "手续费为 1 USDT。手续费是多少？", url: "", published_at: null };
const SAMPLE: Passage = { ...TEXT, id: "warm", kind: "help", lang: "en" };

/** Creates an empty index with an operator's synonyms. */
function startIndex(lexicon: MeaningRows) {
  const index = new AnswerIndex([], lexicon);
  return {
    index: (): AnswerIndex => index,
    change: (changes: PassageChanges): void => index.change(changes),
    once: (_question: unknown, find: (index: AnswerIndex) => string[]): string[] => find(index),
  };
}

/** @param begin creates the index; by default one that no other jobs share */
export function createAssistantJobs(begin = startIndex) {
  let held: { readonly id: number; readonly on: ReturnType<typeof startIndex> } | undefined;
  let vectors = new VectorIndex();
  const heldOf = (id: number) => (held?.id === id ? held.on : undefined);
  const onIndex = <T>(id: number, run: (on: AnswerIndex) => T) => (held?.id === id ? run(held.on.index()) : undefined);
  const withNear = ({ vector, ...asked }: AskedQuestion, index: AnswerIndex): AskedQuestion =>
    vector === undefined ? asked : { ...asked, near: vectors.nearTo(vector, index.indexed()) };

  function answeredFrom(index: AnswerIndex, { questions, most, now, ids, about }: SuggestedQuestions): string[] {
    const found: string[] = [];
    for (const question of questions) {
      if (found.length >= most) break;
      const routing = routeQuestion(question, { history: [] });
      const asked = { question, routing, history: [], wide: false, now, ...(about && { about }) };
      const { answer, by } = prepareAnswer(asked, index);
      // The platform's own notice of the event may come first.
      const isSaid = answer?.outcome === "answered" && by !== "latest"; // A list of headlines is no answer.
      const source = isSaid && answer.sources.find(({ kind }) => kind !== "notice");
      if (source && ids.includes(source.id)) found.push(question);
    }
    return found;
  }

  return {
    /** Loads everything that answering needs, by answering sample questions, so that the first question need not wait. */
    warm(): void {
      const asked = { history: [], research: false, refused: [], hasModel: false, now: 0 };
      const index = new AnswerIndex([SAMPLE, { ...SAMPLE, lang: "zh" }]);
      for (const question of [SAMPLE.title, SAMPLE.text]) prepareQuestion({ ...asked, question }, index);
    },
    begin({ index: id, lexicon }: OnIndex & { readonly lexicon: MeaningRows }): void {
      held = { id, on: begin(lexicon) };
      vectors = new VectorIndex();
    },
    /** Applies changes to the index; false if it is not the one held. */
    change({ index, ...changes }: OnIndex & PassageChanges): boolean {
      const on = heldOf(index);
      on?.change(changes);
      return on !== undefined;
    },
    prepare: ({ index, ...asked }: OnIndex & AskedQuestion): PreparedQuestion | undefined =>
      onIndex(index, (on) => prepareQuestion(withNear(asked, on), on)),
    explain: ({ index, asked, prepared }: OnIndex & { asked: AskedQuestion; prepared: PreparedQuestion }) =>
      onIndex(index, (on) => explainAnswer(withNear(asked, on), prepared, on)),
    embed: ({ index, ...wanted }: OnIndex & Parameters<VectorIndex["take"]>[1]) =>
      onIndex(index, (on) => vectors.take(on.indexed(), wanted)),
    renewVectors: ({ index }: OnIndex) => onIndex(index, (on) => vectors.renew(on.indexed())),
    readVectors,
    check: checkReply,
    /** The texts in Traditional characters. */
    async write({ texts, script }: { readonly texts: readonly string[]; readonly script: Script }): Promise<string[]> {
      const { toTraditional } = await import("../../language/to-traditional.ts");
      return texts.map((text) => toTraditional(text, script));
    },
    /** The first `most` of the questions that extraction answers from one of the passages. */
    answered: ({ index, ...of }: OnIndex & SuggestedQuestions) => heldOf(index)?.once(of, (on) => answeredFrom(on, of)),
  };
}

/** Questions that are suggested for some passages. */
export interface SuggestedQuestions {
  readonly questions: readonly string[];
  readonly ids: readonly string[];
  readonly about?: readonly string[]; // The passages that chats with these questions use.
  readonly most: number;
  readonly now: number;
}
