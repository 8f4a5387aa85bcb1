import { AnpError } from "../../contract/errors.ts";
import { silentLogger } from "../../runtime/logger.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { ModelConfig } from "../../config/model-config.ts";
import { dropCutSentence } from "./citations.ts";
import { cleanReply, createModelFetch, ModelReplyError } from "./model-fetch.ts";
import type { Finding } from "../grounding/reply-fault.ts";
import type { Checked } from "../answering/model-answer.ts";
import { toCorrection, toPrompt } from "./model-prompt.ts";
import type { Prompt, PromptRequest } from "./model-prompt.ts";

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
   * What `check` makes of the model's reply; a reply that it refuses is asked for once more, with what was wrong.
   *
   * @throws AnpError 1007 when the model is exhausted, fails, times out, replies with nothing or is refused again; the
   *   caller's own abort is thrown as its reason
   */
  generate<T>(request: ModelRequest, check: CheckReply<T>): Promise<T>;
}

/** Checks a reply to a prompt with these instructions. */
export type CheckReply<T> = (reply: string, instructions: string) => Checked<T> | Promise<Checked<T>>;

export interface ModelDeps {
  readonly logger?: Logger;
  /** Calls the endpoint; the platform's fetch by default. */
  readonly fetch?: typeof fetch;
}

/** A gateway to an OpenAI-compatible endpoint. The model libraries load at the first call. */
export function createModelGateway(config: ModelConfig, deps: ModelDeps = {}): ModelGateway {
  const { logger = silentLogger } = deps;

  async function replyTo(prompt: Prompt, { signal: abort }: ModelRequest, timeout: AbortSignal): Promise<string> {
    try {
      return await complete(
        config,
        deps.fetch,
        prompt,
        abort === undefined ? timeout : AbortSignal.any([timeout, abort]),
      );
    } catch (cause) {
      abort?.throwIfAborted();
      throw new AnpError(1007, undefined, { cause: timeout.aborted ? timeout.reason : failureOf(cause) });
    }
  }

  return {
    name: config.model,
    fallback: config.fallback,
    async generate(request, check) {
      const timeout = AbortSignal.timeout(config.timeout_ms);
      const prompt = toPrompt(request);
      const first = await replyTo(prompt, request, timeout);
      let checked = await check(first, prompt.system);
      if ("findings" in checked) {
        const faults = faultsOf(checked.findings);
        logger.warn({ model: config.model, faults }, "Asking again for a reply that was refused");
        const second = await replyTo(toCorrection(prompt, first, checked.findings), request, timeout);
        checked = await check(second, prompt.system);
      }
      if ("value" in checked) return checked.value;
      const cause = new Error(`model reply refused: ${faultsOf(checked.findings).join(", ")}`);
      throw new AnpError(1007, undefined, { cause });
    },
  };
}

/** A request to the endpoint, with the library's retries: the reply's text, never empty. */
async function complete(
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
    maxRetries: config.max_retries,
    abortSignal: signal,
  });
  const reply = cleanReply(text);
  const whole = finishReason === "length" ? dropCutSentence(reply) : reply;
  if (whole.trim() === "") throw new Error("the reply is empty");
  return whole;
}

function faultsOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(({ fault }) => fault))];
}

/**
 * What the log may say of a failed call. Messages of the endpoint and of the libraries are left out: they may repeat the
 * user's words, or hold whatever the endpoint sends.
 */
function failureOf(cause: unknown): Error {
  if (cause instanceof ModelReplyError || !(cause instanceof Error)) return new Error(`model call: ${String(cause)}`);
  // What the last of the retries failed with.
  const { lastError } = cause as { lastError?: unknown };
  if (lastError !== undefined) return failureOf(lastError);
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
