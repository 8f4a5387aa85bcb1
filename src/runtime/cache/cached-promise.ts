/** Caches the first result; concurrent callers share one call. After a failure the next caller retries. */
export function cachedPromise<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
