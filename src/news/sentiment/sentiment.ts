import type { Sentiment } from "../../contract/schemas/shared-fields.ts";
import { classGramsOf, gramsOf, judge } from "./sentiment-model.ts";

/** What an item is for those who hold or use what it is about, by what titles that are worded like its own are. Where no
 * word of the title is in a class, those of the summary count.
 * @example
 * sentimentOf("Shorts wiped out as price jumps", ""); // "positive"
 */
export function sentimentOf(title: string, summary: string): Sentiment {
  if (/[?？]\s*$/.test(title)) return "neutral"; // A question reports nothing.
  const own = classGramsOf(title);
  return judge([...gramsOf(title), ...(own.size > 0 ? own : classGramsOf(summary))]);
}
