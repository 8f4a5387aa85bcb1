import { headersOf, type EmbeddingsConfig } from "../../config/model-config.ts";
import type { Logger } from "../../runtime/logger.ts";
import { readRetryAfter } from "../../runtime/retry-after.ts";
import { createBoundedFetch, createModelFetch, failureOf, ModelReplyError } from "../model/model-call.ts";
import { tokensOf } from "../model/model-prompt.ts";
import type { readVectors, VectorsReply } from "./read-vectors.ts";

/** Consecutive failures after which questions go without vectors; and ms: the backoff after the first one, which doubles
 * with each further one, its maximum, and the maximum `Retry-After`. */
const BREAKER = { failures: 3, first_ms: 500, longest_ms: 60_000, asked_ms: 3_600_000 };
const MOST_BYTES = 32 * 1024 * 1024; // Maximum size of a reply.
const OF_TEXTS = [400, 413, 422]; // Statuses that single texts may cause.
type Texts = "question" | "passages";
type Read = (reply: VectorsReply) => ReturnType<typeof readVectors> | Promise<ReturnType<typeof readVectors>>;
/** Observes calls for vectors, and their tokens (0 for a failed call). */
export type EmbeddingsObserver = { embedded(texts: Texts, outcome: "ok" | "failed", tokens: number): void };
export type ClientDeps = { readonly logger: Logger; readonly observer?: EmbeddingsObserver };

/** A client of an OpenAI-compatible embeddings endpoint. */
export function createEmbeddingsClient(config: EmbeddingsConfig, { logger, observer }: ClientDeps) {
  const { base_url, model, dimensions, body, query } = config;
  const send = createModelFetch(createBoundedFetch(config), Infinity, () => undefined, MOST_BYTES);
  const endpoint = new URL(`${base_url.replace(/(?<!\/)\/+$/, "")}/embeddings`);
  const url = Object.assign(endpoint, { search: new URLSearchParams(query).toString() }).href;
  const headers = { ...headersOf(config), "content-type": "application/json" };
  let [running, failures, restsUntil, dimension] = [0, 0, 0, dimensions];
  const isOpen = (): boolean => failures >= BREAKER.failures;
  const backOff = (): number => Math.min(BREAKER.longest_ms, BREAKER.first_ms * 2 ** failures);
  const rest = (ms: number): void => void (restsUntil = Math.max(restsUntil, performance.now() + ms));

  async function fetchVectors(input: readonly string[], signal: AbortSignal, read: Read) {
    const request = JSON.stringify({ model, input, dimensions, ...body });
    const response = await send(url, { method: "POST", headers, body: request, signal });
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.ok) return read({ bytes, count: input.length, dimension });
    rest(Math.min(BREAKER.asked_ms, readRetryAfter(response.headers.get("retry-after"), Date.now()) ?? 0));
    if (OF_TEXTS.includes(response.status)) return undefined;
    throw new ModelReplyError(`the endpoint answers ${response.status}`);
  }

  return {
    isOpen,
    /** Whether to skip the call for a question, because the endpoint is in backoff or at its limit of calls. */
    isBusy: () => running >= config.max_calls || performance.now() < restsUntil,
    /** The wait before the next call for passages, ms. */
    wait_ms: () => Math.max(restsUntil - performance.now(), failures === 0 ? 0 : backOff()),
    /** The vectors of texts, or the error of the call; undefined if the texts are refused or the reply lacks their vectors,
     * in which case other texts may succeed. @param read parses a reply (large ones off the main thread)
     * @throws the reason of the caller's own abort */
    async embed(texts: Texts, input: readonly string[], read: Read, caller?: AbortSignal) {
      const timeout = AbortSignal.timeout(texts === "question" ? config.question_ms : config.timeout_ms);
      const signal = caller === undefined ? timeout : AbortSignal.any([timeout, caller]);
      const before = failures;
      if (isOpen()) rest(backOff()); // Only this call probes the endpoint.
      running += 1;
      const found = await fetchVectors(input, signal, read).catch(failureOf);
      running -= 1;
      caller?.throwIfAborted();
      if (found !== undefined && "vectors" in found) {
        observer?.embedded(texts, "ok", found.tokens || tokensOf(input.join("")));
        if (isOpen()) logger.info({ model }, "The embeddings endpoint answers again");
        [failures, restsUntil, dimension] = [0, 0, found.vectors[0]!.length];
        return found.vectors;
      }
      observer?.embedded(texts, "failed", 0);
      const isNew = failures === before && before + 1 === BREAKER.failures;
      const cause = found?.message ?? "the texts are refused, or the reply does not hold their vectors";
      if (isNew) logger.warn({ model, cause }, "The embeddings endpoint fails; words alone rank the articles");
      failures = before + 1; // Concurrent failures count as one.
      if (isOpen()) rest(backOff());
      return found;
    },
  };
}
