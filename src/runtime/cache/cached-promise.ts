/** Gives the first result again; a call that fails is made again by the next caller. Callers meanwhile share one call. */
export function cachedPromise<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
