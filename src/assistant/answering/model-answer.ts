import type { AnswerRequest } from "../answer.ts";
import type { ModelGateway } from "../model/model-gateway.ts";
import type { Passage, SourceItem } from "../passage.ts";
import { toSourceItem } from "../passage.ts";
import type { PassageIndex } from "../retrieval/passage-index.ts";
import { toQuery } from "../retrieval/query.ts";
import { rankSentences } from "../retrieval/sentence-ranking.ts";

/** A model's text, with the sources it cites. */
export interface GeneratedAnswer {
  readonly text: string;
  readonly sources: SourceItem[];
}

/** A model's answer from the passages; null when they do not answer. A source's snippet is its sentence nearest to the text. */
export async function generateAnswer(
  model: ModelGateway,
  request: AnswerRequest,
  passages: readonly Passage[],
  index: PassageIndex,
): Promise<GeneratedAnswer | null> {
  const { question, history, wide, signal, routing } = request;
  const answer = await model.generate({
    question,
    lang: routing.lang,
    history,
    passages,
    wide,
    ...(signal === undefined ? {} : { signal }),
  });
  if (answer === null) return null;
  const query = toQuery(answer.text);
  const sources = answer.cited.map((passage) => {
    const number = index.passages.indexOf(passage);
    const [nearest] = rankSentences(query, [{ number, passage, score: 1 }], index);
    return toSourceItem(passage, nearest?.sentence.text ?? passage.title);
  });
  return { text: answer.text, sources };
}
