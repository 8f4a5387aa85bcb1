import type { ModelConfig } from "../../config/model-config.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Statement } from "../grounding/statements.ts";
import { readVerdicts } from "../grounding/verdicts.ts";
import type { ModelProvider } from "./circuit-breaker.ts";
import type { CallBounds } from "./model-call.ts";
import { numbered, tokensOf, type PromptRequest } from "./model-prompt.ts";
import { createStructuredCall } from "./structured-call.ts";
import VERIFY from "./verify.json" with { type: "json" };

/** What verdicts are asked on: the passages that a reply was written from, since one that it does not cite may be newer;
 * the question, and the statements. Beyond so many tokens only passages that it cites. */
export function toVerify(request: PromptRequest, statements: readonly Statement[], most = Infinity): string {
  const asked = { previous: request.history.at(-1)?.question, question: request.question };
  const said = statements.map(({ cited: cites, text }, at) => JSON.stringify({ number: at + 1, cites, text }));
  const rest = ["", `Question: ${JSON.stringify(asked)}`, "", "Statements:", ...said];
  let left = most - tokensOf([...VERIFY.instructions, ...rest].join());
  const lines = numbered(request.passages, ["kind", "published_at", "title", "text", "url"]);
  const shown = lines.filter((line, at) => {
    left -= tokensOf(line);
    return left >= 0 || statements.some(({ cited }) => cited.includes(at + 1));
  });
  return ["Passages:", ...shown, ...rest].join("\n");
}

/** Makes what asks a provider for a verdict on each statement of a reply, where that is configured. */
export function createVerifier({ verify }: ModelConfig, logger: Logger) {
  const call = createStructuredCall(VERIFY, verify, { failed: "A reply could not be verified", logger });
  return (provider: ModelProvider, written: PromptRequest, statements: readonly Statement[], bounds: CallBounds) => {
    const content = toVerify(written, statements, provider.config.prompt_tokens);
    return call(provider, content, (reply) => readVerdicts(reply, statements.length), bounds);
  };
}
