import type { ModelConfig } from "../config/model-config.ts";
import { didYouMean } from "../runtime/did-you-mean.ts";
import { failed, type Finding, ok, unreachable, warning } from "../storage/finding.ts";
import { type Check, type CheckInput, networkReason, withTimeout } from "./check.ts";

/** Longest wait for one answer, ms. */
const ANSWER_MS = 8000;

/** Whether the model's endpoint answers, accepts our key and has the model. */
export function modelCheck({ loaded }: CheckInput): Check {
  const { model } = loaded.config;
  return {
    name: "model",
    bound_ms: 2 * ANSWER_MS + 2000,
    async run(signal) {
      if (model === undefined) return [ok("model", "Not configured: answers quote their sources.")];
      return [await probe(model, signal)];
    },
  };
}

async function probe(model: ModelConfig, signal: AbortSignal): Promise<Finding> {
  const base = model.base_url.replace(/(?<!\/)\/+$/, "");
  const place = base.replace(/(:\/\/)[^/?#@]*@/, "$1");
  const headers = model.api_key === undefined ? {} : { authorization: `Bearer ${model.api_key}` };
  try {
    const list = await fetch(`${base}/models`, { headers, signal: withTimeout(signal, ANSWER_MS), redirect: "error" });
    if (list.ok) {
      const names = namesIn(await list.json().catch(() => undefined));
      if (names?.includes(model.model) === true) return ok("model", `${place} answers and has ${model.model}.`);
      if (names !== undefined) {
        return warning(
          "model",
          `${place} answers, but does not list ${model.model}.${didYouMean(model.model, names)}`,
          `Set model.model to one of: ${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}.`,
        );
      }
    } else {
      await list.body?.cancel();
      const refused = refusal(list.status, place, model);
      if (refused !== undefined) return refused;
    }
    // Not every server lists its models: then the shortest possible completion is the test.
    return await complete(base, place, model, headers, signal);
  } catch (error) {
    return unreachable(
      "model",
      `${place} does not answer: ${networkReason(error)}.`,
      "Check model.base_url, and that this machine can reach it. Until then chats fail with 1007" +
        (model.fallback === "extractive" ? ", or are answered from the sources." : "."),
    );
  }
}

async function complete(
  base: string,
  place: string,
  model: ModelConfig,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Finding> {
  const response = await fetch(`${base}/chat/completions`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ model: model.model, max_tokens: 1, messages: [{ role: "user", content: "ping" }] }),
    signal: withTimeout(signal, ANSWER_MS),
    redirect: "error",
  });
  await response.body?.cancel();
  if (response.ok) return ok("model", `${place} answers with ${model.model}.`);
  return (
    refusal(response.status, place, model) ??
    failed(
      "model",
      `${place} answers ${response.status} to a question for ${model.model}.`,
      "Check model.base_url (it ends in /v1 on most servers) and model.model.",
    )
  );
}

function refusal(status: number, place: string, model: ModelConfig): Finding | undefined {
  if (status === 401 || status === 403) {
    const key = model.api_key === undefined ? "No key was sent" : "The key was refused";
    return failed("model", `${place} answers ${status}: ${key}.`, "Set ANP_MODEL_API_KEY, or model.api_key_file.");
  }
  if (status === 429) {
    return warning("model", `${place} answers 429: too many requests, or no credit.`, "Look at the account's limits.");
  }
  if (status >= 500) return unreachable("model", `${place} answers ${status}.`, "Ask the operator of the model.");
  return undefined;
}

/** The ids of a list of models; undefined for any other body. */
function namesIn(body: unknown): string[] | undefined {
  const data = (body as { data?: unknown } | undefined)?.data;
  if (!Array.isArray(data)) return undefined;
  return data.flatMap((model: unknown) => {
    const id = (model as { id?: unknown } | null)?.id;
    return typeof id === "string" ? [id] : [];
  });
}
