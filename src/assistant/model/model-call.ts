import type { Agent } from "undici";
import type { Finding, Verdicts } from "../grounding/reply-fault.ts";
import { headersOf, type Endpoint, type ProviderConfig } from "../../config/model-config.ts";
import { readBytes } from "../../runtime/read-bytes.ts";
import { readRetryAfter } from "../../runtime/retry-after.ts";
import { promptTokens, tokensOf, type Prompt } from "./model-prompt.ts";
import type { TokenMeter, Tokens } from "./token-budgets.ts";

/** Maximum bytes of a reply, as uncompressed JSON: many times the longest answer requested. */
const MOST_BYTES = 256 * 1024;

/** A reply that is not accepted. The message contains no text of the endpoint. */
export class ModelReplyError extends Error {
  override readonly name = "ModelReplyError";
}

const BUSY = [429, 503]; // The statuses whose Retry-After is a backoff time (RFC 9110 §10.2.3).

/** A fetch with an endpoint's timeouts: to connect, to receive the headers, and between parts of the body. */
export function createBoundedFetch({ connect_ms, headers_ms, idle_ms }: Endpoint): typeof fetch {
  let agent: Agent | undefined;
  return async (input, init) => {
    const undici = await import("undici");
    agent ??= new undici.Agent({ connect: { timeout: connect_ms }, headersTimeout: headers_ms, bodyTimeout: idle_ms });
    return undici.fetch(input, { ...init, dispatcher: agent });
  };
}

/** A fetch for model endpoints. It follows no redirect, limits the size of a reply, and fails if `Retry-After` exceeds the
 * time left. @param until deadline of the call on the clock of `performance.now()`, ms @param onReply called when a
 * successful reply begins, which may be billed @param most maximum bytes of a reply, uncompressed */
export function createModelFetch(send: typeof fetch, until: number, onReply: () => void, most = MOST_BYTES) {
  return async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const response = await send(input, { ...init, redirect: "manual" });
    const { status, statusText, headers } = response;
    const wait_ms = (BUSY.includes(status) && readRetryAfter(headers.get("retry-after"), Date.now())) || 0;
    const isLong = performance.now() + wait_ms > until;
    if (isLong || (status >= 300 && status < 400)) {
      await response.body?.cancel();
      throw new ModelReplyError(isLong ? `the endpoint is busy (${status})` : `the endpoint redirects (${status})`);
    }
    if (response.ok) onReply();
    const tooLarge = () => new ModelReplyError(`the reply is larger than ${most} bytes`);
    const bytes = await readBytes(response.body, most, tooLarge);
    return new Response(bytes.length === 0 ? null : bytes, { status, statusText, headers });
  };
}

/** A record of a model call, for operators. */
export interface ModelCall {
  readonly host: string;
  readonly model: string;
  tokens: Tokens;
  readonly prompt: Prompt;
  reply?: string; // Absent if the call failed.
  failure?: string;
  findings?: readonly Finding[]; // Faults that the checks found; empty if all passed.
  verdicts?: Verdicts; // A verifier's, on the statements of the reply.
}

/** Bounds of a call: the abort signal; the deadline `until`, on the clock of `performance.now()`, ms; the meter that
 * reserves its tokens; and the list that records the calls. */
export interface CallBounds {
  readonly signal: AbortSignal;
  readonly until: number;
  readonly meter?: TokenMeter | undefined;
  readonly calls?: ModelCall[] | undefined;
}

/** The bounds that all calls for one answer share; `signal` is aborted when the caller has disconnected. */
export type ModelUse = { readonly [Name in keyof CallBounds]?: CallBounds[Name] | undefined };

/** The reply of an OpenAI-compatible endpoint to a prompt, never empty. `onSpent` gets the reported tokens or an estimate,
 * also for an unreadable or late reply. The model libraries load at the first call. */
export async function callModel(
  config: ProviderConfig,
  send: typeof fetch,
  prompt: Prompt,
  { signal, until, onSpent }: CallBounds & { readonly onSpent: (tokens: Tokens) => unknown },
): Promise<string> {
  const { generateText } = await import("ai");
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { form, ...words } = prompt;
  let hasBegun = false;
  const provider = createOpenAICompatible({
    name: "model",
    baseURL: config.base_url,
    headers: headersOf(config),
    queryParams: config.query,
    transformRequestBody: ({ max_tokens: length, ...body }: Record<string, unknown>) => ({
      ...body,
      [config.length_field]: length,
      ...form,
      ...config.body,
    }),
    fetch: createModelFetch(send, until, () => (hasBegun = true)),
  });
  const estimated = promptTokens(prompt);
  const { text, finishReason, usage } = await generateText({
    model: provider.chatModel(config.model),
    ...words,
    ...(config.send_temperature ? { temperature: config.temperature } : {}),
    maxOutputTokens: config.max_output_tokens,
    maxRetries: form === undefined ? config.max_retries : 0,
    abortSignal: signal,
  }).catch((error: unknown) => {
    if (hasBegun || signal.aborted) onSpent({ prompt: estimated, reply: 0 });
    throw error;
  });
  onSpent({ prompt: reported(usage.inputTokens) ?? estimated, reply: reported(usage.outputTokens) ?? tokensOf(text) });
  const reply = cleanReply(text);
  const whole = finishReason === "length" ? dropCutSentence(reply) : reply;
  if (whole.trim() === "") throw new ModelReplyError("the reply is empty");
  return whole;
}

const reported = (tokens: number | undefined) => (Number.isSafeInteger(tokens) && tokens! > 0 ? tokens : undefined);

// Reasoning models use different tags, and some omit the opening one.
const THINKING = /<(think|thinking|thought|reasoning)>[^]*?(?:<\/\1>|$)/gi;
const THINKING_BEFORE = /^[^]*<\/(?:think|thinking|thought|reasoning)>/i;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Bidi_Control}]/gu;

/** Removes control characters, bidirectional marks and reasoning from a reply. Linear time. */
export const cleanReply = (reply: string): string =>
  reply.replace(CONTROL, "").replace(THINKING, "").replace(THINKING_BEFORE, "");

/** The text up to its last complete sentence, for a reply cut at the token limit; empty if there is none. */
export const dropCutSentence = (text: string): string =>
  /^[\s\S]*(?:[。！？!?]|\.(?=\s|\[|$))(?:\s*[[【]\d+[\]】])*["”’」）)]*/.exec(text)?.[0] ?? "";

/** The error of a failed call for the log, without messages of endpoint or libraries, which may repeat the user's words. */
export function failureOf(cause: unknown): Error {
  if (cause instanceof ModelReplyError || !(cause instanceof Error)) return new Error(`model call: ${String(cause)}`);
  const { lastError } = cause as { lastError?: unknown }; // The error of the last retry.
  if (lastError !== undefined) return failureOf(lastError);
  const { statusCode: status } = cause as { statusCode?: unknown };
  // The code of a failed connection, such as ECONNREFUSED.
  for (let at: unknown = cause; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === "string") return new Error(`model call: ${cause.name} (${code})`);
  }
  return new Error(`model call: ${cause.name}${typeof status === "number" ? ` (status ${status})` : ""}`);
}
