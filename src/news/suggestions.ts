import type { NewsItem } from "./projection.ts";
import type { Language } from "./language.ts";

/** Questions about a topic that its items answer. */
export function suggestQuestions(title: string, _items: readonly NewsItem[], lang: Language): string[] {
  return lang === "zh" ? [`${title}，具体情况如何？`] : [`What is known about "${title}"?`];
}
