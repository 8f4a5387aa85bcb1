/** A round-robin queue over callers, of distinct items. Items without a caller, the service's own, are taken every other
 * time. Each operation takes constant time (amortised). */
export function createFairQueue<T>() {
  const waiting = new Map<string | undefined, Fifo<T>>(); // By caller (undefined: the service); none is empty.
  const callers = new Fifo<string | undefined>(); // The order in which they are served.
  let size = 0;
  let wasOwn = false;

  function shift(): T | undefined {
    wasOwn = waiting.has(undefined) && (!wasOwn || callers.size === 0);
    const caller = wasOwn ? undefined : callers.shift();
    const items = waiting.get(caller);
    if (items === undefined) return undefined;
    size--;
    const item = items.shift();
    if (items.size === 0) waiting.delete(caller);
    else if (caller !== undefined) callers.add(caller);
    return item;
  }

  return {
    size: (): number => size,
    push(item: T, caller: string | undefined): void {
      waiting.set(caller, (waiting.get(caller) ?? new Fifo<T>()).add(item));
      if (caller !== undefined) callers.add(caller);
      size++;
    },
    shift,
    remove(item: T, caller: string | undefined): void {
      const items = waiting.get(caller);
      if (items?.delete(item) !== true) return;
      size--;
      if (items.size > 0) return;
      waiting.delete(caller);
      callers.delete(caller);
    },
    clear: (): T[] => Array.from({ length: size }, () => shift()!),
  };
}

/** A first-in, first-out queue of distinct items. */
class Fifo<T> extends Set<T> {
  #rest = this.values(); // Kept: a new iterator passes every deleted item that V8 has not yet collected.

  shift(): T | undefined {
    let next = this.#rest.next();
    if (next.done === true) next = (this.#rest = this.values()).next(); // Items may have been added after its end.
    if (next.done !== true) this.delete(next.value);
    return next.value;
  }
}
