/** Background work, which only a close waits for. */
export function createBackground() {
  const running = new Set<Promise<void>>();
  return {
    size: (): number => running.size,
    follow: (work: Promise<void>): Promise<void> => {
      running.add(work);
      const leave = (): void => void running.delete(work);
      work.then(leave, leave);
      return work;
    },
    /** Waits until no work is running. */
    settled: async (): Promise<void> => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
