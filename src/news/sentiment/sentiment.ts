import type { Sentiment } from "../../contract/schemas/shared-fields.ts";
import { countWords } from "./sentiment-words.ts";
import { judgeTitle } from "./sentiment-model.ts";

/** What an item is for those who hold or use what it is about: by the words of its title, or of its summary where the
 * title has none, and by what titles that are worded like it are.
 * @example
 * sentimentOf("Shorts wiped out as price jumps", ""); // "positive"
 */
export function sentimentOf(title: string, summary: string): Sentiment {
  if (/[?？]\s*$/.test(title)) return "neutral"; // A question reports nothing.
  const head = countWords(title);
  return judgeTitle(title, Object.values(head).some(Boolean) ? head : countWords(summary));
}
