/** A binary heap: the entry that `before` puts first comes out first. */
export function createHeap<T>(before: (a: T, b: T) => boolean) {
  const entries: T[] = [];

  function push(entry: T): void {
    let at = entries.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(entry, entries[parent]!)) break;
      entries[at] = entries[parent]!;
      at = parent;
    }
    entries[at] = entry;
  }

  function pop(): T | undefined {
    const first = entries[0];
    const last = entries.pop();
    if (entries.length === 0 || last === undefined) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && before(entries[child + 1]!, entries[child]!)) child += 1;
      if (!before(entries[child]!, last)) break;
      entries[at] = entries[child]!;
      at = child;
    }
    entries[at] = last;
    return first;
  }

  return { push, pop };
}
