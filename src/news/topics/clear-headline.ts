import type { NewsItem } from "../snapshot/projection.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./headline-patterns.json" with { type: "json" };

const FLAWS = Object.values(patternsOf(PATTERNS, "iu"));
const READ = 16; // The most central items are read: the others say less of the story, however clear.

/** The item with the clearest headline: the most central of those with the fewest flaws (cut off, a question, bait,
 * shouted, a digest of several stories). @param items the most central first, at least one */
export function clearestOf(items: readonly NewsItem[]): NewsItem {
  const flaws = items.slice(0, READ).map(({ title, lang }) => {
    return FLAWS.filter((flaw) => flaw.test(title)).length + Number(lang === "en" && title === title.toUpperCase());
  });
  return items[flaws.indexOf(Math.min(...flaws))]!;
}
