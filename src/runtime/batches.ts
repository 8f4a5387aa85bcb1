/** Groups items in order into batches as large as the bounds allow, of at least one item and at most `size`.
 * @param weigh the weight of an item; a batch ends with the item that makes it weigh 1 */
export async function* batchesOf<T>(items: AsyncIterable<T> | Iterable<T>, size: number, weigh = (_item: T) => 0) {
  let batch: T[] = [];
  let weight = 0;
  for await (const item of items) {
    batch.push(item);
    weight += weigh(item);
    if (batch.length < size && weight < 1) continue;
    yield batch;
    batch = [];
    weight = 0;
  }
  if (batch.length > 0) yield batch;
}

export async function* take<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let left = count;
  for await (const item of items) {
    if (left-- > 0) yield item;
    if (left <= 0) return;
  }
}

/** All items, or those that are wanted. */
export async function collect<T>(items: AsyncIterable<T>, isWanted: (item: T) => boolean = () => true): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) if (isWanted(item)) all.push(item);
  return all;
}

/** An endless sequence in which `next` makes each value from the one before; `ahead` more are computed in advance. */
export async function* readAhead<T>(next: (before?: T) => Promise<T>, ahead: number): AsyncGenerator<T> {
  const started: Promise<T>[] = [];
  for (let last = next(); ; last = last.then(next)) {
    last.catch(() => undefined); // It may not be needed any more.
    started.push(last);
    if (started.length > ahead) yield await started.shift()!;
  }
}
