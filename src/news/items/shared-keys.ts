import { groupBy } from "../../runtime/group-by.ts";

/** The keys that several items of different titles have: they identify nothing. */
export function sharedKeys<T extends { readonly title: string }>(items: readonly T[], keyOf: (item: T) => string) {
  const shared = new Set<string>();
  for (const [key, alike] of groupBy(items, keyOf))
    if (alike.some(({ title }) => title !== alike[0]!.title)) shared.add(key);
  return shared;
}
