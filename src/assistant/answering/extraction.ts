import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { SourceItem } from "../passage.ts";
import { toSourceItem } from "../passage.ts";
import type { Candidate } from "../retrieval/sentence-ranking.ts";

/** An answer of sentences quoted from the sources. */
export interface Extract {
  readonly text: string;
  readonly sources: SourceItem[];
}

/** A sentence that refers to the one before it. */
const ANAPHORIC =
  /^(?:(?:this|these|those|that|it|its|they|he|she|such|otherwise|however|therefore|then|also|in that case|if so|for example)\b|此|该|这|其(?!他|它)|它|他|她|否则|因此|所以|但|同时|另外|例如|举例)/iu;

/** Sentences of an answer, or of one section; a further one must reach this share of the best one's score. */
const LIMITS = { sentences: 3, share: 0.65 };
/** Sections of a wide answer; a further passage must reach this share of the best one's score. */
const SECTIONS = { passages: 5, share: 0.45 };

/** The best sentence of a passage, those with a score near it, and the ones they refer to. */
function chooseSentences(best: Candidate, ranked: readonly Candidate[]): Candidate[] {
  const passage = ranked.filter(({ number }) => number === best.number);
  const chosen = new Set<Candidate>();
  for (const candidate of passage) {
    if (candidate.score < best.score * LIMITS.share) break;
    const before = passage.find(({ at }) => at === candidate.at - 1);
    const refers = before !== undefined && ANAPHORIC.test(candidate.sentence.text) && !chosen.has(before);
    if (chosen.size + (refers ? 2 : 1) > LIMITS.sentences) continue;
    chosen.add(candidate);
    if (refers) chosen.add(before);
  }
  return [...chosen].sort((a, b) => a.at - b.at);
}

/** Quotes the sentences of one passage that answer best, in their order. */
export function extractAnswer(ranked: readonly Candidate[], lang: Language): Extract {
  const [best] = ranked;
  if (best === undefined) return { text: "", sources: [] };
  const text = joinSentences(chooseSentences(best, ranked), lang);
  return { text, sources: [toSourceItem(best.passage, text)] };
}

/** Quotes several passages, each in a section under its title. */
export function extractSections(ranked: readonly Candidate[], lang: Language): Extract {
  const sections: string[] = [];
  const sources: SourceItem[] = [];
  const seen = new Set<number>();
  for (const candidate of ranked) {
    if (seen.size >= SECTIONS.passages || candidate.score < ranked[0]!.score * SECTIONS.share) break;
    if (seen.has(candidate.number)) continue;
    seen.add(candidate.number);
    const text = joinSentences(chooseSentences(candidate, ranked), lang);
    const { title } = candidate.passage;
    sections.push(title === "" ? text : `${title}\n${text}`);
    sources.push(toSourceItem(candidate.passage, text));
  }
  return { text: sections.join("\n\n"), sources };
}

/** Joins sentences of one line; a line break of the source is kept. */
function joinSentences(candidates: readonly Candidate[], lang: Language): string {
  let text = "";
  let line = -1;
  for (const { sentence } of candidates) {
    if (text !== "") text += line === sentence.line ? (lang === "zh" ? "" : " ") : "\n";
    text += sentence.text;
    line = sentence.line;
  }
  return text;
}
