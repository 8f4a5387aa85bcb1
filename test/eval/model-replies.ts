import { readFileSync } from "node:fs";
import type { Quotation } from "../../src/assistant/answer.ts";
import { checkReply } from "../../src/assistant/answering/model-answer.ts";
import { judgeReply, type Verdict } from "../../src/assistant/grounding/judge-reply.ts";
import type { CheckedRequest } from "../../src/assistant/grounding/reply-fault.ts";
import { toPrompt } from "../../src/assistant/model/model-prompt.ts";
import { createModelGateway, type CheckReply } from "../../src/assistant/model/provider-failover.ts";
import type { Passage } from "../../src/assistant/passage.ts";
import { modelConfig } from "../../src/config/model-config.ts";
import { AnpError } from "../../src/contract/errors.ts";
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
const passages = read("passages.json") as Record<string, Pick<Passage, "title" | "text" | "url">>;

/** All replies, or those of a split, and of one part or all. */
export function readReplies(split?: LabelledReply["split"], part?: LabelledReply["part"]): LabelledReply[] {
  const all = read("replies.json") as LabelledReply[];
  return all.filter((reply) => (split ?? reply.split) === reply.split && (part ?? reply.part) === reply.part);
}

/** What the model was asked, as it is asked in a daemon. */
export function requestOf({ language: lang, question, passages: given }: LabelledReply) {
  const excerpts = given.map(({ id }): Passage => {
    const kind = id.includes("notice") ? "notice" : id.includes("news") ? "news" : "help";
    return { ...passages[id]!, id, kind, lang: id.split("/")[1]!, published_at: null };
  });
  return { question, lang, history: [], passages: excerpts, wide: false };
}

/** A reply as the check gets it. */
export function checkedOf(labelled: LabelledReply): CheckedRequest {
  const { passages: excerpts, ...request } = requestOf(labelled);
  const { system: instructions } = toPrompt({ ...request, passages: excerpts });
  return { ...request, reply: labelled.reply, excerpts, instructions };
}

/** What becomes of each reply as the check finds it. */
export function judgeAll(replies: readonly LabelledReply[]): { readonly labelled: LabelledReply; verdict: Verdict }[] {
  return replies.map((labelled) => ({ labelled, verdict: judgeReply(checkedOf(labelled)) }));
}

/** What a verifier replied to the prompts of `verdict-prompts`, by the id of the reply that it judged. */
export const recordedVerdicts = read("verdicts.json") as Readonly<Record<string, string>>;

/** What a daemon with `model.verify` delivers, where the endpoint writes the reply and then the recorded verdicts. One
 * without a record is as without `model.verify`. */
export const verifyAll = (replies: readonly LabelledReply[], recorded = recordedVerdicts) =>
  Promise.all(
    replies.map(async (labelled) => {
      const texts = [labelled.reply, recorded[labelled.id]].filter((text) => text !== undefined);
      const verify = recorded[labelled.id] === undefined ? undefined : { timeout_ms: 60_000 };
      const fetch = () => Promise.resolve(completionOf(texts.shift()));
      const settings = { base_url: "http://127.0.0.1:9", model: "m", max_retries: 0, timeout_ms: 600_000, verify };
      const gateway = createModelGateway(modelConfig.parse(settings), { fetch });
      const check: CheckReply<Quotation | null> = (reply, _, verdicts) =>
        checkReply({ ...checkedOf(labelled), reply, verdicts });
      const found = await gateway.generate(requestOf(labelled), check).catch((error: unknown) => {
        if (!(error instanceof AnpError)) throw error;
        return { value: null };
      });
      return { labelled, verdict: found.value === null ? ("no_answer" as const) : ("good" as const) };
    }),
  );

/** A chat completion; a failure where nothing is said. */
function completionOf(content: string | undefined): Response {
  const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
  return content === undefined
    ? new Response(null, { status: 500 })
    : Response.json({ id: "1", object: "chat.completion", created: 1, model: "m", choices });
}

/** Shares of the good replies that are refused, and of the bad ones that are delivered. */
export function sharesOf(judged: readonly { readonly labelled: LabelledReply; readonly verdict: Verdict }[]): {
  readonly refused: number;
  readonly delivered: number;
} {
  const share = (isGood: boolean): number => {
    const all = judged.filter(({ labelled }) => labelled.good === isGood);
    return all.filter(({ verdict }) => (verdict === "good") !== isGood).length / all.length;
  };
  return { refused: share(true), delivered: share(false) };
}
