import type { ModelConfig } from "../../config/model-config.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { ModelProvider } from "./circuit-breaker.ts";
import { failureOf, ModelReplyError, type ModelUse } from "./model-call.ts";

type Settings = NonNullable<ModelConfig["rewrite"]>;

/** The instructions of a call whose reply is JSON, and the ways to ask for that form. */
type CallTemplate = { instructions: string[]; formats: Record<Exclude<Settings["format"], "none">, object> };

/** Makes what asks a provider for JSON that an answer can do without, where that is configured: once. Undefined where
 * the call fails, takes too long, is over a budget, or what it says has another form. @param failed what the log says then */
export function createStructuredCall(
  { instructions, formats }: CallTemplate,
  settings: Settings | undefined,
  { failed, logger }: { readonly failed: string; readonly logger: Logger },
) {
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
