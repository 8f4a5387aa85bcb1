import { AnpError } from "../../contract/errors.ts";
import { silentLogger } from "../../runtime/logger.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { ModelConfig } from "../../config/model-config.ts";
import { dropCutSentence } from "./citations.ts";
import { cleanReply, createModelFetch, ModelReplyError } from "./model-fetch.ts";
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
   * What `check` makes of the model's reply.
   *
   * @throws AnpError 1007 when the model is exhausted, fails, times out or replies with nothing; the caller's own abort is
   *   thrown as its reason
   */
  generate<T>(request: ModelRequest, check: (reply: string) => T | Promise<T>): Promise<T>;
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
      describeFailure: (error) => ({
        ...(APICallError.isInstance(error)
          ? { status: error.statusCode, headers: error.responseHeaders }
          : { status: undefined, headers: undefined }),
        isFinal: error instanceof ModelReplyError,
      }),
      onRetry: (retry) => {
        logger.warn({ model: config.model, ...retry }, "Trying the model again");
      },
    });
  }

  return {
    name: config.model,
    fallback: config.fallback,
    async generate(request, check) {
      const timeout = AbortSignal.timeout(config.timeout_ms);
      const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
      let text: string;
      try {
        text = await complete(toPrompt(request), signal);
      } catch (cause) {
        request.signal?.throwIfAborted();
        throw new AnpError(1007, undefined, { cause: timeout.aborted ? timeout.reason : failureOf(cause) });
      }
      return check(text);
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
    fetch: createModelFetch(fetch),
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
  const reply = cleanReply(text);
  const whole = finishReason === "length" ? dropCutSentence(reply) : reply;
  if (whole.trim() === "") throw new Error("the reply is empty");
  return whole;
}

/**
 * What the log may say of a failed call. Messages of the endpoint and of the libraries are left out: they may repeat the
 * user's words, or hold whatever the endpoint sends.
 */
function failureOf(cause: unknown): Error {
  if (cause instanceof ModelReplyError || !(cause instanceof Error)) return new Error(`model call: ${String(cause)}`);
  const { statusCode: status } = cause as { statusCode?: unknown };
  const reason = networkCode(cause) ?? (typeof status === "number" ? `status ${status}` : undefined);
  return new Error(`model call: ${cause.name}${reason === undefined ? "" : ` (${reason})`}`);
}

/** The code of a failed connection, such as ECONNREFUSED. */
function networkCode(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
  }
  return undefined;
}
