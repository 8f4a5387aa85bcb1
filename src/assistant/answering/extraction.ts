import type { Lang, SourceItem } from "../passage.ts";
import { toSourceItem } from "../passage.ts";
import type { Candidate } from "../retrieval/sentence-ranking.ts";

/** An answer made of sentences of the sources. */
export interface Extract {
  readonly text: string;
  readonly sources: SourceItem[];
}

/** A sentence that leans on the one before it. */
const LEANING =
  /^(?:this|these|those|that|it|its|they|he|she|such|otherwise|however|therefore|then|also|in that case|if so|此|该|这|其|它|他|她|否则|因此|所以|但|同时|此外|另外|如未|若未)/iu;

/** Sentences at most; a further one must reach this share of the best one's score. */
const LIMITS = { narrow: { sentences: 3, share: 0.7 }, wide: { sentences: 8, share: 0.5 } };

/** The sentences to quote: the best, those of the first two passages that come near it, and what they lean on. */
export function chooseSentences(ranked: readonly Candidate[], wide: boolean): Candidate[] {
  const { sentences, share } = wide ? LIMITS.wide : LIMITS.narrow;
  const best = ranked[0];
  if (best === undefined) return [];
  const chosen = new Set<Candidate>([best]);
  const find = (number: number, at: number): Candidate | undefined =>
    ranked.find((candidate) => candidate.number === number && candidate.at === at);
  const add = (candidate: Candidate): void => {
    if (chosen.size >= sentences) return;
    chosen.add(candidate);
    const before = find(candidate.number, candidate.at - 1);
    if (before !== undefined && LEANING.test(candidate.sentence.text) && chosen.size < sentences) chosen.add(before);
  };
  add(best);
  for (const candidate of ranked) {
    if (chosen.size >= sentences || candidate.score < best.score * share) break;
    if (candidate.number === best.number) add(candidate);
  }
  return [...chosen];
}

/** Puts sentences into reading order: passages as ranked, sentences as they stand; with one source item a passage. */
export function composeExtract(chosen: readonly Candidate[], lang: Lang): Extract {
  const passages = new Map<number, Candidate[]>();
  for (const candidate of chosen)
    passages.set(candidate.number, [...(passages.get(candidate.number) ?? []), candidate]);
  const blocks: string[] = [];
  const sources: SourceItem[] = [];
  for (const candidates of passages.values()) {
    const text = joinSentences(
      candidates.toSorted((a, b) => a.at - b.at),
      lang,
    );
    blocks.push(text);
    sources.push(toSourceItem(candidates[0]!.passage, text));
  }
  return { text: blocks.join("\n"), sources };
}

/** Sentences of one line run on; a new line of the source stays one. */
function joinSentences(candidates: readonly Candidate[], lang: Lang): string {
  let text = "";
  let line = -1;
  for (const { sentence } of candidates) {
    if (text !== "") text += line === sentence.line ? (lang === "zh" ? "" : " ") : "\n";
    text += sentence.text;
    line = sentence.line;
  }
  return text;
}
