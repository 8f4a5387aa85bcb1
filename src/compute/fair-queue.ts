/** What callers wait for, taken in turn, one of each. What has no caller is the service's own, taken every other time. */
export class FairQueue<T> {
  readonly #waiting = new Map<string | undefined, T[]>(); // By caller (undefined: the service), the next one first.
  #wasOwn = false;

  get size(): number {
    return [...this.#waiting.values()].reduce((size, { length }) => size + length, 0);
  }

  push(item: T, caller: string | undefined): void {
    if (!this.#waiting.get(caller)?.push(item)) this.#waiting.set(caller, [item]);
  }

  shift(): T | undefined {
    const [first, second] = this.#waiting.keys();
    const next = first ?? second;
    this.#wasOwn = this.#waiting.has(undefined) && (!this.#wasOwn || next === undefined);
    const caller = this.#wasOwn ? undefined : next;
    const [item, ...left] = this.#waiting.get(caller) ?? [];
    this.#waiting.delete(caller);
    if (left.length > 0) this.#waiting.set(caller, left);
    return item;
  }

  remove(item: T, caller: string | undefined): void {
    const left = this.#waiting.get(caller)?.filter((other) => other !== item) ?? [];
    if (left.length > 0) this.#waiting.set(caller, left);
    else this.#waiting.delete(caller);
  }

  clear(): T[] {
    const items = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return items;
  }
}
