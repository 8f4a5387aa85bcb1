import { readFileSync } from "node:fs";
import { AnpError } from "../../contract/errors.ts";
import { silentLogger, type Logger } from "../../runtime/logger.ts";
import { providersOf, type ModelConfig } from "../../config/model-config.ts";
import { failureOf, type CallBounds, type ModelUse } from "./model-call.ts";
import { createModelProvider, type ModelProvider } from "./circuit-breaker.ts";
import type { Checked } from "../answering/model-answer.ts";
import type { Verdicts } from "../grounding/reply-fault.ts";
import { createVerifier, createRewriter } from "./structured-calls.ts";
import { toCorrection, toPrompt, type Prompt, type PromptRequest } from "./model-prompt.ts";

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
