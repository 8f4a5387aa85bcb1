import { AnpError } from "../../contract/errors.ts";
import { systemClock } from "../../runtime/clock.ts";
import { silentLogger } from "../../runtime/logger.ts";
import type { Logger } from "../../runtime/logger.ts";
import { redactEchoes } from "../../runtime/redact.ts";
import type { ModelConfig } from "../../config/model-config.ts";
import { dropCutSentence, resolveCitations } from "./citations.ts";
import type { CitedAnswer } from "./citations.ts";
import { toPrompt } from "./model-prompt.ts";
import type { Prompt, PromptRequest } from "./model-prompt.ts";
import { isWorthRetrying, retryDelay, timerWait } from "./model-retry.ts";
import type { Wait } from "./model-retry.ts";

/** What the model is to answer, and from which passages, numbered [1]..[n] in their order. */
export interface ModelRequest extends PromptRequest {
  readonly signal?: AbortSignal;
}

/** A model that words answers from passages. */
export interface ModelGateway {
  /** The model's id. */
  readonly name: string;
  /** What answers when the model fails. */
  readonly fallback: "none" | "extractive";
  /**
   * The model's answer; null when it says that the passages do not answer, or cites none of them.
   *
   * @throws AnpError 1007 when the model is exhausted, failed, timed out or said nothing; the caller's own abort is
   *   thrown as its reason
   */
  generate(request: ModelRequest): Promise<CitedAnswer | null>;
}

export interface ModelDeps {
  readonly logger?: Logger;
  /** How to wait between two tries; the machine's timer by default. */
  readonly wait?: Wait;
  /** How to reach the endpoint; the platform's fetch by default. */
  readonly fetch?: typeof fetch;
}

/** A gateway to an OpenAI-compatible endpoint. The model libraries load at the first call. */
export function createModelGateway(config: ModelConfig, deps: ModelDeps = {}): ModelGateway {
  const { logger = silentLogger, wait = timerWait } = deps;

  /** One try: the reply's text, never empty. */
  async function attempt({ system, messages }: Prompt, signal: AbortSignal): Promise<string> {
    const [{ generateText }, { createOpenAICompatible }] = await Promise.all([
      import("ai"),
      import("@ai-sdk/openai-compatible"),
    ]);
    const provider = createOpenAICompatible({
      name: "model",
      baseURL: config.base_url,
      ...(config.api_key === undefined ? {} : { apiKey: config.api_key }),
      ...(deps.fetch === undefined ? {} : { fetch: deps.fetch }),
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

  async function attemptAll(prompt: Prompt, signal: AbortSignal): Promise<string> {
    // Time limits are the machine's: a run with a fixed clock must end as well.
    const deadline = performance.now() + config.timeout_ms;
    for (let tried = 0; ; tried++) {
      try {
        return await attempt(prompt, signal);
      } catch (error) {
        const { APICallError } = await import("ai");
        const call = APICallError.isInstance(error) ? error : undefined;
        const delay = retryDelay(tried, call?.responseHeaders, systemClock.now());
        const hopeless = signal.aborted || !isWorthRetrying(call?.statusCode);
        if (hopeless || tried >= config.max_retries || performance.now() + delay >= deadline) throw error;
        logger.warn(
          { model: config.model, tried: tried + 1, status: call?.statusCode, delay },
          "Trying the model again",
        );
        await wait(delay, signal);
      }
    }
  }

  return {
    name: config.model,
    fallback: config.fallback,
    async generate(request) {
      const timeout = AbortSignal.timeout(config.timeout_ms);
      const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
      let text: string;
      try {
        text = await attemptAll(toPrompt(request), signal);
      } catch (cause) {
        request.signal?.throwIfAborted();
        throw new AnpError(1007, undefined, { cause: timeout.aborted ? timeout.reason : fitToLog(cause, request) });
      }
      return resolveCitations(text, request.passages);
    },
  };
}

/** A failure's name and message, without what the endpoint repeats of the user's words, and without the request itself. */
function fitToLog(cause: unknown, { question, history }: ModelRequest): Error {
  const words = [question, ...history.flatMap((turn) => [turn.question, turn.answer])].join("\n");
  const told = new Error(redactEchoes(cause instanceof Error ? cause.message : String(cause), words));
  if (cause instanceof Error) told.name = cause.name;
  return told;
}
