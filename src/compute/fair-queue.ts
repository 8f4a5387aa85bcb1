/** What callers wait for, taken in turn, one of each. What has no caller is the service's own, taken every other time. */
export class FairQueue<T> {
  readonly #own: T[] = [];
  /** The caller whose turn is next comes first. */
  readonly #byCaller = new Map<string, T[]>();
  #size = 0;
  #wasOwn = false;

  get size(): number {
    return this.#size;
  }

  push(item: T, caller: string | undefined): void {
    this.#size++;
    const waiting = caller === undefined ? this.#own : this.#byCaller.get(caller);
    if (waiting === undefined) this.#byCaller.set(caller!, [item]);
    else waiting.push(item);
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    this.#size--;
    const [next] = this.#byCaller;
    this.#wasOwn = this.#own.length > 0 && (!this.#wasOwn || next === undefined);
    if (this.#wasOwn || next === undefined) return this.#own.shift();
    const [caller, waiting] = next;
    const item = waiting.shift();
    this.#byCaller.delete(caller);
    if (waiting.length > 0) this.#byCaller.set(caller, waiting);
    return item;
  }

  remove(item: T, caller: string | undefined): void {
    const waiting = caller === undefined ? this.#own : this.#byCaller.get(caller);
    const at = waiting?.indexOf(item) ?? -1;
    if (waiting === undefined || at === -1) return;
    waiting.splice(at, 1);
    this.#size--;
    if (caller !== undefined && waiting.length === 0) this.#byCaller.delete(caller);
  }

  /** Takes everything. */
  clear(): T[] {
    const items = [...this.#own.splice(0), ...[...this.#byCaller.values()].flat()];
    this.#byCaller.clear();
    this.#size = 0;
    return items;
  }
}
