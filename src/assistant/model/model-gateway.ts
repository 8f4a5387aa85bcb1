import { AnpError } from "../../contract/errors.ts";
import { silentLogger } from "../../runtime/logger.ts";
import type { Logger } from "../../runtime/logger.ts";
import { redactEchoes } from "../../runtime/redact.ts";
import type { ModelConfig } from "../../config/model-config.ts";
import { dropCutSentence, resolveCitations } from "./citations.ts";
import type { CitedAnswer } from "./citations.ts";
import { toPrompt } from "./model-prompt.ts";
import type { Prompt, PromptRequest } from "./model-prompt.ts";
import { timerWait, withRetries } from "./model-retry.ts";
import type { Wait } from "./model-retry.ts";

/** A question for the model, and the passages to answer it from, numbered [1]..[n] in their order. */
export interface ModelRequest extends PromptRequest {
  readonly signal?: AbortSignal;
}

/** A model that writes answers from passages. */
export interface ModelGateway {
  /** The model's id. */
  readonly name: string;
  /** What happens when the model fails: error 1007, or an extractive answer. */
  readonly fallback: "none" | "extractive";
  /**
   * The model's answer; null when it replies that the passages do not answer, or cites none of them.
   *
   * @throws AnpError 1007 when the model is exhausted, fails, times out or replies with nothing; the caller's own abort is
   *   thrown as its reason
   */
  generate(request: ModelRequest): Promise<CitedAnswer | null>;
}

export interface ModelDeps {
  readonly logger?: Logger;
  /** Waits between two tries; the machine's timer by default. */
  readonly wait?: Wait;
  /** Calls the endpoint; the platform's fetch by default. */
  readonly fetch?: typeof fetch;
}

/** A gateway to an OpenAI-compatible endpoint. The model libraries load at the first call. */
export function createModelGateway(config: ModelConfig, deps: ModelDeps = {}): ModelGateway {
  const { logger = silentLogger, wait = timerWait } = deps;

  async function complete(prompt: Prompt, signal: AbortSignal): Promise<string> {
    const { APICallError } = await import("ai");
    return withRetries(() => completeOnce(config, deps.fetch, prompt, signal), {
      maxRetries: config.max_retries,
      timeoutMs: config.timeout_ms,
      signal,
      wait,
      describeFailure: (error) =>
        APICallError.isInstance(error)
          ? { status: error.statusCode, headers: error.responseHeaders }
          : { status: undefined, headers: undefined },
      onRetry: (retry) => {
        logger.warn({ model: config.model, ...retry }, "Trying the model again");
      },
    });
  }

  return {
    name: config.model,
    fallback: config.fallback,
    async generate(request) {
      const timeout = AbortSignal.timeout(config.timeout_ms);
      const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
      let text: string;
      try {
        text = await complete(toPrompt(request), signal);
      } catch (cause) {
        request.signal?.throwIfAborted();
        throw new AnpError(1007, undefined, { cause: timeout.aborted ? timeout.reason : redacted(cause, request) });
      }
      return resolveCitations(text, request.passages);
    },
  };
}

/** One request to the endpoint: the reply's text, never empty. */
async function completeOnce(
  config: ModelConfig,
  fetch: ModelDeps["fetch"],
  { system, messages }: Prompt,
  signal: AbortSignal,
): Promise<string> {
  const [{ generateText }, { createOpenAICompatible }] = await Promise.all([
    import("ai"),
    import("@ai-sdk/openai-compatible"),
  ]);
  const provider = createOpenAICompatible({
    name: "model",
    baseURL: config.base_url,
    ...(config.api_key === undefined ? {} : { apiKey: config.api_key }),
    ...(fetch === undefined ? {} : { fetch }),
  });
  const { text, finishReason } = await generateText({
    model: provider.chatModel(config.model),
    system,
    messages,
    temperature: config.temperature,
    maxOutputTokens: config.max_output_tokens,
    maxRetries: 0,
    abortSignal: signal,
  });
  const whole = finishReason === "length" ? dropCutSentence(text) : text;
  if (whole.trim() === "") throw new Error(`The model's reply is empty (finish reason: ${finishReason}).`);
  return whole;
}

/** An error's name and message for the log, without the user's words that the endpoint repeats and without the request. */
function redacted(cause: unknown, { question, history }: ModelRequest): Error {
  const words = [question, ...history.flatMap((turn) => [turn.question, turn.answer])].join("\n");
  const error = new Error(redactEchoes(cause instanceof Error ? cause.message : String(cause), words));
  if (cause instanceof Error) error.name = cause.name;
  return error;
}
