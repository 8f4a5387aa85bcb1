/**
 * The items in order, as many together as the bounds allow, and at least one.
 *
 * @param most items of one batch
 * @param weigh the weight of an item; a batch ends with the item that reaches `mostWeight`
 */
export async function* batchesOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
  most: number,
  { weigh, mostWeight }: { readonly weigh: (item: T) => number; readonly mostWeight: number } = EQUAL,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let weight = 0;
  for await (const item of items) {
    batch.push(item);
    weight += weigh(item);
    if (batch.length < most && weight < mostWeight) continue;
    yield batch;
    batch = [];
    weight = 0;
  }
  if (batch.length > 0) yield batch;
}

const EQUAL = { weigh: () => 0, mostWeight: 1 } as const;
