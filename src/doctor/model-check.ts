import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { createEmbeddingsClient } from "../assistant/embeddings/embeddings-client.ts";
import { readVectors } from "../assistant/embeddings/read-vectors.ts";
import { headersOf, providersOf, type EmbeddingsConfig, type ProviderConfig } from "../config/model-config.ts";
import { printLocation } from "../news/sources/read-source.ts";
import { silentLogger } from "../runtime/logger.ts";
import { didYouMean } from "../runtime/text/edit-distance.ts";
import type { Finding } from "../storage/health/finding.ts";
import { type CheckInput, finding, networkReason, timeoutSignal } from "./check.ts";

const ANSWER_MS = 8000;
/** How long the check may take, ms. */
export const MODEL_MS = 2 * ANSWER_MS + 2000;

const TOKENS = 16; // Longest requested answer, in tokens: some models refuse a limit of one.

const modelList = z.object({ data: z.array(z.object({ id: z.string() }).nullable().catch(null)) });

/** Whether each of the model's endpoints, and that of embeddings, answers, accepts our key and has the model. */
export async function checkModel({ loaded }: CheckInput, signal: AbortSignal): Promise<Finding[]> {
  const { model, embeddings } = loaded.config;
  const vectors = embeddings === undefined ? [] : [probeEmbeddings(embeddings, signal)];
  if (model === undefined) return [finding("noModel"), ...(await Promise.all(vectors))];
  const readKey = (file: string): string => {
    try {
      return readFileSync(resolve(loaded.baseDir, file), "utf8");
    } catch {
      return "";
    }
  };
  return Promise.all([...providersOf(model, readKey).map((one) => probe(one, model.fallback, signal)), ...vectors]);
}

async function probeEmbeddings(config: EmbeddingsConfig, signal: AbortSignal): Promise<Finding> {
  const { model } = config;
  const place = printLocation(config.base_url);
  const client = createEmbeddingsClient(config, { logger: silentLogger });
  const started = performance.now();
  const bounded = client.embed("passages", ["ping"], readVectors, timeoutSignal(signal, ANSWER_MS));
  const found = await bounded.catch((error: unknown) => new Error(networkReason(error)));
  const ms = Math.round(performance.now() - started);
  if (Array.isArray(found)) return finding("embeddings", { place, model, dimension: found[0]!.length, ms });
  const reason = found?.message ?? "the text is refused, or the reply does not hold its vector";
  return finding("noEmbeddings", { place, model, reason });
}

async function probe(model: ProviderConfig, otherwise: "none" | "extractive", signal: AbortSignal): Promise<Finding> {
  const base = model.base_url.replace(/(?<!\/)\/+$/, "");
  const place = printLocation(base);
  const ask = (path: string, init?: RequestInit): Promise<Response> => {
    const headers = { ...headersOf(model), "content-type": "application/json" };
    return fetch(`${base}${path}`, { headers, signal: timeoutSignal(signal, ANSWER_MS), redirect: "error", ...init });
  };
  try {
    const list = await ask("/models");
    if (list.ok) {
      const listed = modelList.safeParse(await list.json().catch(() => undefined)).data;
      const names = listed?.data.flatMap((one) => one?.id ?? []);
      if (names?.includes(model.model) === true) return finding("model", { place, model: model.model });
      if (names !== undefined) {
        const known = `${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}`;
        const hint = didYouMean(model.model, names);
        return finding("unlistedModel", { place, model: model.model, hint, names: known });
      }
    } else {
      await list.body?.cancel();
      const refused = refusal(list.status, place, model);
      if (refused !== undefined) return refused;
    }
    // Not every server lists its models: then the shortest possible completion is the test.
    const started = performance.now();
    const query = new URLSearchParams(model.query).toString();
    const messages = [{ role: "user", content: "ping" }];
    const body = JSON.stringify({ model: model.model, [model.length_field]: TOKENS, messages, ...model.body });
    const reply = await ask(`/chat/completions${query === "" ? "" : `?${query}`}`, { method: "POST", body });
    await reply.body?.cancel();
    const ms = Math.round(performance.now() - started);
    if (reply.ok) return finding("modelAnswers", { place, model: model.model, ms });
    const { status } = reply;
    return refusal(status, place, model) ?? finding("noModelThere", { place, status, model: model.model });
  } catch (error) {
    const fallback = otherwise === "extractive" ? ", or are answered from the sources." : ".";
    return finding("modelDown", { place, reason: networkReason(error), fallback });
  }
}

function refusal(status: number, place: string, model: ProviderConfig): Finding | undefined {
  const key = model.api_key === undefined ? "No key was sent" : "The key was refused";
  if (status === 401 || status === 403) return finding("modelRefuses", { place, status, key });
  if (status === 429) return finding("modelLimits", { place });
  return status >= 500 ? finding("modelFails", { place, status }) : undefined;
}
