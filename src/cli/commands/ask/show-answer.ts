import type { OperationData } from "../../../contract/endpoints.ts";
import type { Context } from "../../framework/command.ts";
import { cleanLine, cleanText } from "../../terminal/clean-text.ts";

/** An answer of the assistant, with its sources and its cost. */
export type Answer = OperationData<"sendChat">;

/** The sources of an answer, a line each. */
export const sourcesOf = ({ source_items }: Answer): string[] =>
  source_items.map(({ title, url }, index) => `[${index + 1}] ${cleanLine(`${title} ${url}`)}`);

/** What an answer cost, and the points that are left. */
export const costOf = ({ points_cost, credits_remaining }: Answer): string =>
  `${points_cost} ${points_cost === 1 ? "point" : "points"}, ${credits_remaining} left`;

/** Prints an answer with its sources. */
export async function printAnswer({ terminal }: Context, data: Answer): Promise<void> {
  const sources = sourcesOf(data);
  const parts = [cleanText(data.answer), ...(sources.length === 0 ? [] : [sources.join("\n")])];
  if (terminal.interactive) {
    const { route, sub_intent, session_id } = data;
    parts.push(terminal.paint("dim", `${costOf(data)} · ${route}/${sub_intent} · session ${session_id}`));
  }
  await terminal.write(`${parts.join("\n\n")}\n`);
}
