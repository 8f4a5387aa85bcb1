import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import { isOpen, judgeReply } from "../../src/assistant/grounding/judge-reply.ts";
import { statementsOf } from "../../src/assistant/grounding/statements.ts";
import { toVerify } from "../../src/assistant/model/provider-failover.ts";
import { checkedOf, readReplies, requestOf } from "./model-replies.ts";
import VERIFY from "../../src/assistant/model/verify.json" with { type: "json" };

const { ANP_EVAL_TO: folder, ANP_EVAL_IDS: ids } = process.env;

it.skipIf(folder === undefined)("writes what a daemon asks a verifier about replies", () => {
  const asked = readReplies().flatMap((labelled) => {
    if (ids !== undefined && !ids.split(",").includes(labelled.id)) return [];
    const verdict = judgeReply(checkedOf(labelled));
    if (verdict === "no_answer" || (verdict !== "good" && !isOpen(verdict))) return [];
    const prompt = toVerify(requestOf(labelled), statementsOf(labelled.reply));
    return [`${JSON.stringify({ id: labelled.id, prompt })}\n`];
  });
  mkdirSync(folder!, { recursive: true });
  writeFileSync(join(folder!, "instruction.txt"), `${VERIFY.instructions.join("\n")}\n`);
  writeFileSync(join(folder!, "prompts.jsonl"), asked.join(""));
});
