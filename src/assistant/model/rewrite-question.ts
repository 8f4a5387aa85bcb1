import { z } from "zod";
import type { ModelConfig } from "../../config/model-config.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { AnswerRequest } from "../answer.ts";
import { ROUTES } from "../routing/routing.ts";
import type { ModelProvider } from "./circuit-breaker.ts";
import { failureOf, ModelReplyError, type ModelUse } from "./model-call.ts";
import type { Prompt } from "./model-prompt.ts";
import REWRITE from "./rewrite.json" with { type: "json" };

type Asked = Pick<AnswerRequest, "question" | "history">;

const MOST = { turns: 6, answer: 500 }; // Most turns that the question may refer to, and characters of each answer.

const rewritten = z.strictObject({ question: z.string().trim().min(1).max(500), route: z.enum(ROUTES) });

/** Asks to write a question so that it stands alone, and what it is about. */
function toRewritePrompt({ question, history }: Asked, { format }: NonNullable<ModelConfig["rewrite"]>): Prompt {
  const turns = history.slice(-MOST.turns).map((turn) => ({ ...turn, answer: turn.answer.slice(0, MOST.answer) }));
  const content = JSON.stringify({ turns, question });
  const response_format = format === "none" ? undefined : REWRITE.formats[format];
  return { system: REWRITE.instructions.join("\n"), messages: [{ role: "user", content }], form: { response_format } };
}

/** Makes what asks a provider for a question that stands alone, and for what it is about: once, and only where that is
 * configured. Undefined where it fails, or takes too long. */
export function createRewriter(provider: ModelProvider, { model, rewrite }: ModelConfig, logger: Logger) {
  return async (asked: Asked, { signal: caller, ...use }: ModelUse) => {
    if (rewrite === undefined) return undefined;
    const timeout = AbortSignal.timeout(rewrite.timeout_ms);
    const signal = caller === undefined ? timeout : AbortSignal.any([timeout, caller]);
    try {
      const bounds = { ...use, signal, until: performance.now() + rewrite.timeout_ms };
      return readRewritten(await provider.reply(toRewritePrompt(asked, rewrite), bounds), asked);
    } catch (error) {
      logger.warn({ model, cause: String(failureOf(error)) }, "A question could not be rewritten");
      return undefined;
    }
  };
}

/** The rewritten question of a reply. @throws ModelReplyError when it has another form, or names other numbers */
function readRewritten(reply: string, asked: Asked) {
  const { data } = rewritten.safeParse(parseJson(reply));
  const known = new Set(numbersOf(JSON.stringify(asked)));
  if (data !== undefined && numbersOf(data.question).every((number) => known.has(number))) return data;
  throw new ModelReplyError("the reply is not a rewritten question");
}

const numbersOf = (text: string): string[] => text.match(/\d+/g) ?? [];
