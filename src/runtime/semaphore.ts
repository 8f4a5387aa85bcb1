/** A counting semaphore: `most` go on at once, the others wait for an end, in the order in which they came. */
export function createSemaphore(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async begin(): Promise<void> {
      if (running++ >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    end(): void {
      running--;
      waiting.shift()?.();
    },
  };
}
