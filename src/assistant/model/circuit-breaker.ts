import type { ProviderConfig } from "../../config/model-config.ts";
import { createSemaphore } from "../../runtime/semaphore.ts";
import { callModel, createBoundedFetch, failureOf, ModelReplyError } from "./model-call.ts";
import type { CallBounds, ModelCall } from "./model-call.ts";
import type { Tokens } from "./token-budgets.ts";
import { promptTokens, type Prompt } from "./model-prompt.ts";

/** Consecutive failures that open the circuit breaker, and the time until one call probes the provider, ms. */
const BREAKER = { failures: 5, rest_ms: 15_000 };
export type ModelProvider = ReturnType<typeof createModelProvider>;

export function createModelProvider(config: ProviderConfig, send = createBoundedFetch(config)) {
  const about = { host: new URL(config.base_url).host, model: config.model };
  const turns = createSemaphore(config.max_calls, config.max_waiting);
  let failures = 0;
  let restsUntil = 0;

  async function replyInTurn(prompt: Prompt, bounds: CallBounds, onSpent: (tokens: Tokens) => unknown) {
    const { signal } = bounds;
    if (!(await turns.begin(signal))) throw new ModelReplyError("too many calls wait");
    try {
      if (failures >= BREAKER.failures) restsUntil = performance.now() + BREAKER.rest_ms;
      const reply = await callModel(config, send, prompt, { ...bounds, onSpent });
      [failures, restsUntil] = [0, 0];
      return reply;
    } catch (error) {
      if (prompt.form !== undefined) throw error;
      // A caller's disconnect is not a failure of the provider.
      if (!signal.aborted || (signal.reason as Error).name === "TimeoutError") failures += 1;
      if (failures >= BREAKER.failures) restsUntil = performance.now() + BREAKER.rest_ms;
      throw error;
    } finally {
      turns.end();
    }
  }

  return {
    config,
    /** The state of the circuit breaker. While it is open, only single calls probe the provider. */
    breaker: () => ({ ...about, isOpen: failures >= BREAKER.failures }),
    /** The reply to a prompt, never empty.
     * @throws AnpError 1007 when a token budget is used up
     * @throws ModelReplyError while the circuit breaker is open, or when too many calls wait */
    async reply(prompt: Prompt, bounds: CallBounds): Promise<string> {
      if (performance.now() < restsUntil) throw new ModelReplyError("the provider failed too often");
      const settle = await bounds.meter?.(promptTokens(prompt) + config.max_output_tokens);
      const call: ModelCall = { ...about, tokens: { prompt: 0, reply: 0 }, prompt };
      bounds.calls?.push(call);
      try {
        return (call.reply = await replyInTurn(prompt, bounds, (tokens) => (call.tokens = tokens)));
      } catch (error) {
        call.failure = String(failureOf(error));
        throw error;
      } finally {
        await settle?.(call.tokens);
      }
    },
  };
}
