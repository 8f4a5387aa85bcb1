import { modelConfig, type ModelConfig } from "../config/model-config.ts";

/** The failing model where none is configured. Its timeout is short, so that a failure does not take long. */
export const FAILING_MODEL: ModelConfig = modelConfig.parse({
  base_url: "http://model.invalid/v1",
  model: "failing-model",
  timeout_ms: 1000,
  max_retries: 0,
});

/** How a model's endpoint fails. */
export type ModelFailure = "timeout" | "error" | "refused" | "empty";

/** A fetch that fails as `failure` says, and goes to the network when that is undefined. */
export function failingFetch(failure: () => ModelFailure | undefined): typeof fetch {
  return (input, init) => {
    const how = failure();
    switch (how) {
      case undefined:
        return fetch(input, init);
      case "timeout":
        return untilAborted(init?.signal);
      case "error":
        return Promise.resolve(Response.json({ error: { message: "injected fault" } }, { status: 500 }));
      case "refused":
        return Promise.reject(new TypeError("fetch failed", { cause: new Error("injected fault") }));
      case "empty":
        return Promise.resolve(Response.json(EMPTY_COMPLETION));
    }
  };
}

function untilAborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => {
      reject(signal!.reason as Error);
    };
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

const EMPTY_COMPLETION = {
  id: "completion",
  object: "chat.completion",
  created: 0,
  model: "failing-model",
  choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
};
