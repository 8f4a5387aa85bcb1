import type { Change } from "./points-rules.ts";
import type { Language } from "../contract/schemas/shared-fields.ts";
import { fillTemplate } from "../runtime/text/fill-template.ts";
import DESCRIPTIONS from "./entry-descriptions.json" with { type: "json" };

export function describeEntry(change: Change, lang: Language): string {
  const { details } = change;
  const topic = details.type === "chat_cost" ? `${details.route}/${details.sub_intent}` : "";
  return fillTemplate(DESCRIPTIONS[kindOf(change)][lang], { ...details, topic });
}

function kindOf({ details, delta }: Change): keyof typeof DESCRIPTIONS {
  if (details.type === "chat_cost" && details.free) return "free";
  if (details.type === "chat_cost" && delta === 0) return "uncharged";
  if (details.type === "trade_reward") return details.trade_type;
  return details.type === "adjust" && details.reverses !== undefined ? "reversal" : details.type;
}

/** Whether a description says that a free use paid for the entry: the interface has no other sign of it. */
export const isFreeUseDescription = (description: string): boolean =>
  /^(Answer \(.*\), free use|问答（.*），使用免费次数)$/.test(description);
