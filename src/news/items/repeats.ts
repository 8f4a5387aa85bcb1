import { DAY_MS } from "../../runtime/clock.ts";
import { titleKey } from "./dedupe.ts";

type Titled = Parameters<typeof titleKey>[0];

/** The reports of a story without those that their outlet published again within a day under the same title: only the newest
 * of these is kept. The order stays. @param at publication time of an item, ms */
export function withoutRepeats<T extends Titled>(items: readonly T[], at: (item: T) => number): T[] {
  const newest = new Map<string, T>();
  const kept = new Set<T>();
  for (const item of items.toSorted((a, b) => at(b) - at(a))) {
    const later = newest.get(titleKey(item));
    if (later !== undefined && at(later) - at(item) < DAY_MS) continue;
    newest.set(titleKey(item), item);
    kept.add(item);
  }
  return items.filter((item) => kept.has(item));
}
