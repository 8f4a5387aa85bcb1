/** The keys that several items of different titles have: they identify nothing. */
export function sharedKeys<T extends { readonly title: string }>(items: readonly T[], keyOf: (item: T) => string) {
  const titles = new Map<string, string>();
  const shared = new Set<string>();
  for (const item of items) {
    const key = keyOf(item);
    if ((titles.get(key) ?? item.title) !== item.title) shared.add(key);
    titles.set(key, item.title);
  }
  return shared;
}
