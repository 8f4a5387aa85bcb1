/** Work that nobody waits for but a caller who closes. */
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
    /** Waits until nothing is under way. */
    settled: async (): Promise<void> => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
