/** A counting semaphore: at most `most` run at once, the others wait in FIFO order. */
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
