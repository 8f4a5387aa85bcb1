import { z } from "zod";
import type { ModelConfig } from "../../config/model-config.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { ModelProvider } from "./circuit-breaker.ts";
import { failureOf, ModelReplyError, type ModelUse, type CallBounds } from "./model-call.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import { ROUTES, type AnswerRequest } from "../answer.ts";
import REWRITE from "./rewrite.json" with { type: "json" };
import type { Statement } from "../grounding/statements.ts";
import { readVerdicts } from "../grounding/reply-fault.ts";
import { numbered, tokensOf, type PromptRequest } from "./model-prompt.ts";
import VERIFY from "./verify.json" with { type: "json" };

/** Creates a function that requests optional JSON from a provider, without retries. It returns undefined if the call is not
 * configured, fails, times out or exceeds a budget, or if the reply has another form.
 * @param texts the instructions, the response formats, and the log message of a failure */
function createStructuredCall(texts: typeof REWRITE | typeof VERIFY, settings: ModelConfig["rewrite"], logger: Logger) {
  const { instructions, formats, failed } = texts;
  return async <T>(
    provider: ModelProvider,
    content: string,
    read: (reply: string) => T | undefined, // Undefined for a reply of another form.
    { signal: caller, until = Infinity, ...use }: ModelUse,
  ): Promise<T | undefined> => {
    if (settings === undefined) return undefined;
    const { format, timeout_ms } = settings;
    const form = { response_format: format === "none" ? undefined : formats[format] };
    const prompt = { system: instructions.join("\n"), messages: [{ role: "user", content } as const], form };
    const signal = AbortSignal.any([AbortSignal.timeout(timeout_ms), ...(caller === undefined ? [] : [caller])]);
    try {
      const bounds = { ...use, signal, until: Math.min(until, performance.now() + timeout_ms) };
      const found = read(await provider.reply(prompt, bounds));
      if (found === undefined) throw new ModelReplyError("the reply has another form");
      return found;
    } catch (error) {
      logger.warn({ model: provider.config.model, cause: String(failureOf(error)) }, failed);
      return undefined;
    }
  };
}

type Asked = Pick<AnswerRequest, "question" | "history">;

const MOST = { turns: 6, answer: 500 }; // Turns that the question may refer to, and characters of each answer.

const rewritten = z.strictObject({ question: z.string().trim().min(1).max(500), route: z.enum(ROUTES) });

/** Creates a function that requests a standalone form of a question and its route, if configured. */
export function createRewriter(provider: ModelProvider, { rewrite }: ModelConfig, logger: Logger) {
  const call = createStructuredCall(REWRITE, rewrite, logger);
  return (asked: Asked, use: ModelUse) => {
    const { question, history } = asked;
    const turns = history.slice(-MOST.turns).map((turn) => ({ ...turn, answer: turn.answer.slice(0, MOST.answer) }));
    return call(provider, JSON.stringify({ turns, question }), (reply) => readRewritten(reply, asked), use);
  };
}

/** The rewritten question of a reply; undefined if it has another form or adds numbers. */
function readRewritten(reply: string, asked: Asked) {
  const { data } = rewritten.safeParse(parseJson(reply));
  const known = new Set(numbersOf(JSON.stringify(asked)));
  return data !== undefined && numbersOf(data.question).every((number) => known.has(number)) ? data : undefined;
}

const numbersOf = (text: string): string[] => text.match(/\d+/g) ?? [];

/** The input of a verifier: the passages of a reply (also uncited ones, which may be newer), the question, and the
 * statements. Passages beyond `most` tokens are included only if the reply cites them. */
export function toVerify(request: PromptRequest, statements: readonly Statement[], most = Infinity): string {
  const asked = { previous: request.history.at(-1)?.question, question: request.question };
  const said = statements.map(({ cited: cites, text }, at) => JSON.stringify({ number: at + 1, cites, text }));
  const rest = ["", `Question: ${JSON.stringify(asked)}`, "", "Statements:", ...said];
  let left = most - tokensOf([...VERIFY.instructions, ...rest].join());
  const lines = numbered(request.passages, ["kind", "outlet", "published_at", "title", "text", "url"]);
  const shown = lines.filter((line, at) => {
    left -= tokensOf(line);
    return left >= 0 || statements.some(({ cited }) => cited.includes(at + 1));
  });
  return ["Passages:", ...shown, ...rest].join("\n");
}

/** Creates a function that requests a verdict on each statement of a reply, if configured. */
export function createVerifier({ verify }: ModelConfig, logger: Logger) {
  const call = createStructuredCall(VERIFY, verify, logger);
  return (provider: ModelProvider, written: PromptRequest, statements: readonly Statement[], bounds: CallBounds) => {
    const content = toVerify(written, statements, provider.config.prompt_tokens);
    return call(provider, content, (reply) => readVerdicts(reply, statements.length), bounds);
  };
}
