import { readFileSync } from "node:fs";
import { judgeReply, type Verdict } from "../../src/assistant/grounding/judge-reply.ts";
import { toPrompt } from "../../src/assistant/model/model-prompt.ts";
import type { Passage } from "../../src/assistant/passage.ts";
import type { Language } from "../../src/contract/schemas/shared-fields.ts";

/** A labelled reply: see the README beside the data. */
export interface LabelledReply {
  readonly id: string;
  readonly part: 1 | 2 | 3;
  readonly language: Language;
  readonly question: string;
  readonly passages: readonly { readonly n: number; readonly id: string }[];
  readonly reply: string;
  readonly good: boolean;
  readonly kind: string;
  readonly split: "tuning" | "held";
}

const FOLDER = new URL("../../fixtures/eval/model-replies/", import.meta.url);
const read = (file: string): unknown => JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"));

/** The replies of a split, and of one part or all. */
export function readReplies(split: LabelledReply["split"], part?: LabelledReply["part"]): LabelledReply[] {
  const all = read("replies.json") as LabelledReply[];
  return all.filter((reply) => reply.split === split && (part === undefined || reply.part === part));
}

/** What becomes of each reply as the check finds it. */
export function judgeAll(replies: readonly LabelledReply[]): { readonly labelled: LabelledReply; verdict: Verdict }[] {
  const passages = read("passages.json") as Record<string, Pick<Passage, "title" | "text" | "url">>;
  return replies.map((labelled) => {
    const { language: lang, question, reply } = labelled;
    const excerpts = labelled.passages.map(({ id }): Passage => {
      const kind = id.includes("notice") ? "notice" : id.includes("news") ? "news" : "help";
      return { ...passages[id]!, id, kind, lang: id.split("/")[1]!, published_at: null };
    });
    const given = { question, lang, history: [], passages: excerpts, wide: false };
    const { system: instructions } = toPrompt(given);
    return { labelled, verdict: judgeReply({ ...given, reply, excerpts, instructions }) };
  });
}

/** Shares of the good replies that are refused, and of the bad ones that are delivered. */
export function sharesOf(judged: ReturnType<typeof judgeAll>): {
  readonly refused: number;
  readonly delivered: number;
} {
  const share = (isGood: boolean): number => {
    const all = judged.filter(({ labelled }) => labelled.good === isGood);
    return all.filter(({ verdict }) => (verdict === "good") !== isGood).length / all.length;
  };
  return { refused: share(true), delivered: share(false) };
}
