import { once } from "node:events";
import { modelConfig, type ModelConfig } from "../config/model-config.ts";
import { judgeReply } from "../assistant/grounding/judge-reply.ts";
import { NO_ANSWER } from "../assistant/model/model-prompt.ts";
import type { Passage } from "../assistant/passage.ts";
import { detectLanguage } from "../language/detect-language.ts";
import { sentencesOf } from "../language/sentences.ts";
import type { Fault } from "./fault-catalogue.ts";

const UNREACHABLE = { base_url: "http://model.invalid/v1", model: "failing-model", timeout_ms: 1000, max_retries: 0 };

/** The model for a configuration without one. Its timeout is short, so that a failure does not take long. */
export const FAILING_MODEL: ModelConfig = modelConfig.parse(UNREACHABLE);

type ModelFailure = Extract<Fault, { name: "model" }>["kind"];

const FAILURES: Readonly<Record<ModelFailure, (init?: RequestInit) => Promise<Response>>> = {
  timeout: (init) => untilAborted(init?.signal ?? new AbortController().signal),
  error: () => Promise.resolve(Response.json({ error: { message: "injected fault" } }, { status: 500 })),
  refused: () => Promise.reject(new TypeError("fetch failed", { cause: new Error("injected fault") })),
  empty: () => Promise.resolve(completion("")),
};

/** A fetch that fails as `failure` says; without a failure, `working` answers. */
export function failingFetch(failure: () => ModelFailure | undefined, working: typeof fetch): typeof fetch {
  return (input, init) => {
    const how = failure();
    return how === undefined ? working(input, init) : FAILURES[how](init);
  };
}

/** The endpoint of {@link FAILING_MODEL} once its faults are used up: it quotes a sentence that passes the checks. */
export const scriptedFetch: typeof fetch = (_input, init) => {
  const { messages } = JSON.parse(init?.body as string) as { messages: { content: string }[] };
  const { content } = messages.findLast((message) => message.content.startsWith("Passages:"))!;
  const excerpts = (content.match(/^\{.*$/gm) ?? []).map((line) => JSON.parse(line) as Passage);
  const { question } = JSON.parse(content.slice(content.lastIndexOf("{"))) as { question: string };
  const asked = { question, lang: detectLanguage(question), wide: false, instructions: messages[0]!.content };
  const quotes = excerpts.flatMap(({ text }, at) => sentencesOf(text).map((sentence) => `${sentence} [${at + 1}]`));
  const isGood = (reply: string): boolean => judgeReply({ ...asked, excerpts, reply }) === "good";
  return Promise.resolve(completion(quotes.find(isGood) ?? NO_ANSWER));
};

async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, "abort");
  throw signal.reason as Error;
}

function completion(content: string): Response {
  const choice = { index: 0, message: { role: "assistant", content }, finish_reason: "stop" };
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const head = { id: "completion", object: "chat.completion", created: 0, model: FAILING_MODEL.model };
  return Response.json({ ...head, choices: [choice], usage });
}
