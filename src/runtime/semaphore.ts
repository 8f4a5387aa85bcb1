/** A counting semaphore: at most `most` run at once, the others wait in FIFO order. */
export function createSemaphore(max: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async begin(): Promise<void> {
      if (running++ >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    end(): void {
      running--;
      waiting.shift()?.();
    },
  };
}
