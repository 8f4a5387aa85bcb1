/** A round-robin queue over callers. Items without a caller, the service's own, are taken every other time. */
export function createFairQueue<T>() {
  const waiting = new Map<string | undefined, T[]>(); // By caller (undefined: the service), the next one first.
  let wasOwn = false;
  return {
    size: (): number => [...waiting.values()].reduce((size, { length }) => size + length, 0),
    push(item: T, caller: string | undefined): void {
      if (!waiting.get(caller)?.push(item)) waiting.set(caller, [item]);
    },
    shift(): T | undefined {
      const [first, second] = waiting.keys();
      const next = first ?? second;
      wasOwn = waiting.has(undefined) && (!wasOwn || next === undefined);
      const caller = wasOwn ? undefined : next;
      const [item, ...left] = waiting.get(caller) ?? [];
      waiting.delete(caller);
      if (left.length > 0) waiting.set(caller, left);
      return item;
    },
    remove(item: T, caller: string | undefined): void {
      const left = waiting.get(caller)?.filter((other) => other !== item) ?? [];
      if (left.length > 0) waiting.set(caller, left);
      else waiting.delete(caller);
    },
    clear(): T[] {
      const items = [...waiting.values()].flat();
      waiting.clear();
      return items;
    },
  };
}
