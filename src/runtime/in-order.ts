/** Yields the results of `work` on the numbers below `count`, in order, and runs up to `jobs` at once. @throws what the
 * work throws, after all running work has ended */
export async function* inOrder<T>(count: number, jobs: number, work: (index: number) => Promise<T>): AsyncGenerator<T> {
  const underWay: Promise<T>[] = [];
  try {
    for (let started = 0; started < count || underWay.length > 0;) {
      while (started < count && underWay.length < jobs) {
        const job = work(started++);
        job.catch(() => undefined); // It may fail before it is awaited.
        underWay.push(job);
      }
      yield await underWay.shift()!;
    }
  } finally {
    await Promise.allSettled(underWay);
  }
}
