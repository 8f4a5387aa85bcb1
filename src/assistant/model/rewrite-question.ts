import { z } from "zod";
import type { ModelConfig } from "../../config/model-config.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { AnswerRequest } from "../answer.ts";
import { ROUTES } from "../routing/routing.ts";
import type { ModelProvider } from "./circuit-breaker.ts";
import type { ModelUse } from "./model-call.ts";
import { createStructuredCall } from "./structured-call.ts";
import REWRITE from "./rewrite.json" with { type: "json" };

type Asked = Pick<AnswerRequest, "question" | "history">;

const MOST = { turns: 6, answer: 500 }; // Most turns that the question may refer to, and characters of each answer.

const rewritten = z.strictObject({ question: z.string().trim().min(1).max(500), route: z.enum(ROUTES) });

/** Makes what asks a provider for a question that stands alone, and for what it is about, where that is configured. */
export function createRewriter(provider: ModelProvider, { rewrite }: ModelConfig, logger: Logger) {
  const call = createStructuredCall(REWRITE, rewrite, { failed: "A question could not be rewritten", logger });
  return (asked: Asked, use: ModelUse) => {
    const { question, history } = asked;
    const turns = history.slice(-MOST.turns).map((turn) => ({ ...turn, answer: turn.answer.slice(0, MOST.answer) }));
    return call(provider, JSON.stringify({ turns, question }), (reply) => readRewritten(reply, asked), use);
  };
}

/** The rewritten question of a reply; undefined when it has another form, or names other numbers. */
function readRewritten(reply: string, asked: Asked) {
  const { data } = rewritten.safeParse(parseJson(reply));
  const known = new Set(numbersOf(JSON.stringify(asked)));
  return data !== undefined && numbersOf(data.question).every((number) => known.has(number)) ? data : undefined;
}

const numbersOf = (text: string): string[] => text.match(/\d+/g) ?? [];
