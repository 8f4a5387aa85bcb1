import { EventEmitter, once } from "node:events";

/** A counting semaphore: at most `max` run at once, and `maxWaiting` others wait in FIFO order. */
export function createSemaphore(max: number, maxWaiting = Infinity) {
  const waiting: EventEmitter[] = [];
  let running = 0;
  return {
    /** @returns whether it may run, once it may: false if too many wait @throws the signal's reason */
    async begin(signal?: AbortSignal): Promise<boolean> {
      signal?.throwIfAborted();
      if (running < max) running += 1;
      else if (waiting.length >= maxWaiting) return false;
      else {
        const turn = new EventEmitter();
        waiting.push(turn);
        await once(turn, "begin", { signal }).catch(() => {
          waiting.splice(waiting.indexOf(turn), 1);
          throw signal?.reason;
        });
      }
      return true;
    },
    end(): void {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next.emit("begin");
    },
  };
}
