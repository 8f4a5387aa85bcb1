import { readFileSync } from "node:fs";
import { z } from "zod";
import { AnpError } from "../../contract/errors.ts";
import { silentLogger, type Logger } from "../../runtime/logger.ts";
import { providersOf, type ModelConfig } from "../../config/model-config.ts";
import { failureOf, type CallBounds, type ModelUse, ModelReplyError } from "./model-call.ts";
import { createModelProvider, type ModelProvider } from "./circuit-breaker.ts";
import type { Checked } from "../answering/model-answer.ts";
import { type Verdicts, readVerdicts } from "../grounding/reply-fault.ts";
import { toCorrection, toPrompt, type Prompt, type PromptRequest, numbered, tokensOf } from "./model-prompt.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import { ROUTES, type AnswerRequest } from "../answer.ts";
import REWRITE from "./rewrite.json" with { type: "json" };
import type { Statement } from "../grounding/statements.ts";
import VERIFY from "./verify.json" with { type: "json" };

/** A model that writes answers from passages. */
export type ModelGateway = ReturnType<typeof createModelGateway>;
/** Checks a reply, with a verifier's verdicts if there are any. */
export type CheckReply<T> = (reply: string, system: string, verdicts?: Verdicts) => Checked<T> | Promise<Checked<T>>;

interface ModelDeps {
  readonly logger?: Logger;
  readonly fetch?: typeof fetch; // Calls the endpoints. Default: a fetch with each endpoint's timeouts.
  readonly readKey?: (file: string) => string; // Reads the file of a further provider's key.
}

/** A gateway to OpenAI-compatible endpoints, called in order until one gives a reply that may be delivered. Each gets an
 * equal share of the time left. The model libraries load at the first call. */
export function createModelGateway(config: ModelConfig, deps: ModelDeps = {}) {
  const { logger = silentLogger, readKey = (file) => readFileSync(file, "utf8") } = deps;
  const verify = createVerifier(config, logger);
  const providers = providersOf(config, readKey).map((one) => createModelProvider(one, deps.fetch));

  async function ask<T>(provider: ModelProvider, request: PromptRequest, check: CheckReply<T>, bounds: CallBounds) {
    const { prompt_tokens, max_output_tokens: longest } = provider.config;
    const share = (config.budget.answer ?? Infinity) / (config.verify === undefined ? 1 : 2);
    const prompt = toPrompt(request, Math.min(prompt_tokens, share - longest));
    let sent: Prompt = prompt;
    for (const isLast of [false, true]) {
      const reply = await provider.reply(sent, bounds);
      const call = bounds.calls?.at(-1);
      const byRules = await check(reply, prompt.system);
      const verdicts = byRules.unverified && (await verify(provider, request, byRules.unverified, bounds));
      const checked = verdicts === undefined ? byRules : await check(reply, prompt.system, verdicts);
      if (call !== undefined) [call.findings, call.verdicts] = ["value" in checked ? [] : checked.findings, verdicts];
      if ("value" in checked) return checked;
      const faults = [...new Set(checked.findings.map(({ fault }) => fault))];
      logger.warn({ model: provider.config.model, faults, isLast }, "A reply of the model was refused");
      sent = toCorrection(prompt, reply, checked.findings);
    }
    return null;
  }

  return {
    name: config.model,
    fallback: config.fallback, // What happens when the model fails: error 1007, or an extractive answer.
    breakers: () => providers.map(({ breaker }) => breaker()),
    rewrite: createRewriter(providers[0]!, config, logger),
    /** The value of a checked reply, and the model's id. A refused reply is requested once more, with its faults.
     * @throws AnpError 1007 when the model fails, times out, replies with nothing or is refused again, or a budget is
     *   used up; the reason of the caller's own abort */
    async generate<T>(request: PromptRequest, check: CheckReply<T>, { signal: caller, ...use }: ModelUse = {}) {
      const deadline = performance.now() + config.timeout_ms;
      let cause = new Error("model call: the reply was refused");
      for (const [at, provider] of providers.entries()) {
        const share = (deadline - performance.now()) / (providers.length - at);
        const until = performance.now() + share;
        const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(share)));
        const signal = caller === undefined ? timeout : AbortSignal.any([timeout, caller]);
        try {
          const found = await ask(provider, request, check, { ...use, signal, until });
          caller?.throwIfAborted();
          if (found !== null) return { ...found, model: provider.config.model };
        } catch (error) {
          caller?.throwIfAborted();
          if (error instanceof AnpError) throw error;
          cause = timeout.aborted ? (timeout.reason as Error) : failureOf(error);
          logger.warn({ model: provider.config.model, cause: String(cause) }, "A model failed");
        }
      }
      throw new AnpError(1007, undefined, { cause });
    },
  };
}

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
function createRewriter(provider: ModelProvider, { rewrite }: ModelConfig, logger: Logger) {
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
function createVerifier({ verify }: ModelConfig, logger: Logger) {
  const call = createStructuredCall(VERIFY, verify, logger);
  return (provider: ModelProvider, written: PromptRequest, statements: readonly Statement[], bounds: CallBounds) => {
    const content = toVerify(written, statements, provider.config.prompt_tokens);
    return call(provider, content, (reply) => readVerdicts(reply, statements.length), bounds);
  };
}
