import { EventEmitter, once } from "node:events";
import { headersOf, type ProviderConfig } from "../../config/model-config.ts";
import { dropCutSentence } from "./citations.ts";
import { cleanReply, createModelFetch, ModelReplyError } from "./model-fetch.ts";
import type { Prompt } from "./model-prompt.ts";

/** Failures in a row after which a provider is left alone, and for how long, ms: then one call tries it again. */
const BREAKER = { failures: 5, rest_ms: 15_000 };

/** One endpoint of a model. */
export class ModelProvider {
  readonly config: ProviderConfig;
  readonly #fetch: typeof fetch;
  #running = 0;
  readonly #waiting: EventEmitter[] = [];
  #failures = 0;
  #restsUntil = 0;

  constructor(config: ProviderConfig, platformFetch?: typeof fetch) {
    this.config = config;
    this.#fetch = createModelFetch(platformFetch);
  }

  /**
   * The reply to a prompt, never empty.
   *
   * @throws ModelReplyError while the provider rests after failures, or when too many calls wait for it
   */
  async reply(prompt: Prompt, signal: AbortSignal): Promise<string> {
    if (performance.now() < this.#restsUntil) throw new ModelReplyError("the provider failed too often");
    await this.#turn(signal);
    try {
      if (this.#failures >= BREAKER.failures) this.#restsUntil = performance.now() + BREAKER.rest_ms;
      const reply = await complete(this.config, this.#fetch, prompt, signal);
      [this.#failures, this.#restsUntil] = [0, 0];
      return reply;
    } catch (error) {
      // A caller who left is no failure of the provider.
      if (!signal.aborted || (signal.reason as Error).name === "TimeoutError") this.#failures += 1;
      if (this.#failures >= BREAKER.failures) this.#restsUntil = performance.now() + BREAKER.rest_ms;
      throw error;
    } finally {
      this.#release();
    }
  }

  /** Waits for one of the calls at once; the first to wait is the first to have it. */
  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { max_calls, max_waiting } = this.config;
    if (this.#running < max_calls) return void (this.#running += 1);
    if (this.#waiting.length >= max_waiting) throw new ModelReplyError("too many calls wait");
    const turn = new EventEmitter();
    this.#waiting.push(turn);
    await once(turn, "begin", { signal }).catch(() => {
      this.#waiting.splice(this.#waiting.indexOf(turn), 1);
      throw signal.reason;
    });
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next.emit("begin");
  }
}

/** A request to the endpoint, with the library's retries. */
async function complete(
  config: ProviderConfig,
  modelFetch: typeof fetch,
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
    headers: headersOf(config),
    queryParams: config.query,
    transformRequestBody: ({ max_tokens: length, ...body }: Record<string, unknown>) => ({
      ...body,
      [config.length_field]: length,
      ...config.body,
    }),
    fetch: modelFetch,
  });
  const { text, finishReason } = await generateText({
    model: provider.chatModel(config.model),
    system,
    messages,
    ...(config.send_temperature ? { temperature: config.temperature } : {}),
    maxOutputTokens: config.max_output_tokens,
    maxRetries: config.max_retries,
    abortSignal: signal,
  });
  const reply = cleanReply(text);
  const whole = finishReason === "length" ? dropCutSentence(reply) : reply;
  if (whole.trim() === "") throw new ModelReplyError("the reply is empty");
  return whole;
}
