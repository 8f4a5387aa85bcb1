import type { Turn } from "../answer.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { Finding } from "../grounding/reply-fault.ts";
import INSTRUCTIONS from "./instructions.json" with { type: "json" };
import CORRECTIONS from "../grounding/data/corrections.json" with { type: "json" };
import type { Passage } from "../passage.ts";

/** Limits of a prompt: turns, characters of their answers and of a refused reply, and repeated findings. */
const MOST = { turns: 6, answer: 1000, refused: 2000, findings: 6 };
/** The model's reply when the passages do not answer. Readers never see it. */
export const NO_ANSWER = "NO_ANSWER";
export type Message = { readonly role: "user" | "assistant"; readonly content: string };

export interface Prompt {
  readonly system: string;
  readonly messages: Message[];
  /** Set for an optional structured reply: the call is not retried, and its failure does not count for the breaker. */
  readonly form?: { readonly response_format: object | undefined };
}

/** A question for the model, and the passages to answer it from, numbered [1]..[n] in their order. */
export interface PromptRequest {
  readonly question: string;
  readonly lang: Language;
  readonly history: readonly Turn[];
  readonly passages: readonly Passage[]; // Excerpts in plain text: see `toExcerpt`.
  readonly wide: boolean;
}

/** The instructions, the earlier turns, and the passages followed by the question, quoted as JSON data. If it exceeds
 * `most` tokens, the earliest turns are dropped first, then the last passages. */
export function toPrompt(request: PromptRequest, most = Infinity): Prompt {
  const { passages, history } = request;
  const prompt = promptOf(request);
  if (promptTokens(prompt) <= most) return prompt;
  if (history.length > 0) return toPrompt({ ...request, history: history.slice(1) }, most);
  return passages.length > 1 ? toPrompt({ ...request, passages: passages.slice(0, -1) }, most) : prompt;
}

export const promptTokens = ({ system, messages }: Prompt): number =>
  tokensOf(system + messages.map(({ content }) => content).join(""));

/** Estimates the tokens of a text, with a 10% margin: one per Chinese character, one per three others. */
export function tokensOf(text: string): number {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return Math.ceil((han + (text.length - han) / 3) * 1.1);
}

function promptOf({ question, lang, history, passages, wide }: PromptRequest): Prompt {
  const instructions = [...INSTRUCTIONS.all, wide ? INSTRUCTIONS.wide : INSTRUCTIONS.narrow].join("\n");
  const messages = history.slice(-MOST.turns).flatMap((turn): Message[] => [
    { role: "user", content: turn.question },
    { role: "assistant", content: turn.answer.slice(0, MOST.answer) },
  ]);
  const lines = numbered(passages, ["kind", "outlet", "published_at", "title", "text"]);
  const content = ["Passages:", ...lines, "", `Question: ${JSON.stringify({ question })}`].join("\n");
  messages.push({ role: "user", content });
  return { system: instructions.replace("{language}", INSTRUCTIONS.languages[lang]), messages };
}

/** Data for a prompt: one line of JSON per row, with the given fields and the row's number, from 1. */
export const numbered = (rows: readonly object[], fields: readonly string[]): string[] =>
  rows.map((row, at) => JSON.stringify({ ...row, number: at + 1 }, ["number", ...fields]));

/** The prompt, followed by the refused reply and its faults. */
export function toCorrection({ system, messages }: Prompt, reply: string, findings: readonly Finding[]): Prompt {
  const wrong = findings.slice(0, MOST.findings).map(({ fault, sentence }) => {
    return sentence === undefined ? `- ${CORRECTIONS[fault]}` : `- ${JSON.stringify(sentence)}: ${CORRECTIONS[fault]}`;
  });
  const content = ["That answer cannot be shown:", ...wrong, "", "Write it again without these faults."].join("\n");
  const refused: Message = { role: "assistant", content: reply.slice(0, MOST.refused) };
  return { system, messages: [...messages, refused, { role: "user", content }] };
}
