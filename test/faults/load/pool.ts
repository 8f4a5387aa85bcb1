import type { Seeded } from "./seeded.ts";
import type { Server } from "./server.ts";

/** Servers on one storage, each of which is started again when it is killed. */
export interface Pool<S extends Server = Server> {
  /** How many were killed so far. */
  readonly kills: number;
  /** Those that serve now. */
  serving(): readonly S[];
  /** Waits until there is one that serves, and chooses. */
  pick(choice: Seeded, options?: { adjusts?: boolean }): Promise<S>;
  /** Kills one that serves by SIGKILL; another is started in its place meanwhile. */
  kill(choice: Seeded): Promise<void>;
  /** Waits until all serve. @throws what went wrong when one was started again */
  whole(): Promise<void>;
  /** Ends all, gently or not. */
  close(signal?: "SIGKILL" | "SIGTERM"): Promise<void>;
}

export async function openPool<S extends Server>(starters: readonly (() => Promise<S>)[]): Promise<Pool<S>> {
  const slots: (S | undefined)[] = [];
  const starting = new Map<number, Promise<void>>();
  let waiting: (() => void)[] = [];
  let failure: Error | undefined;
  let kills = 0;

  function start(slot: number): void {
    const started = starters[slot]!().then(
      (server) => {
        slots[slot] = server;
      },
      (error: unknown) => {
        failure = error as Error;
      },
    );
    starting.set(
      slot,
      started.then(() => {
        starting.delete(slot);
        for (const resume of waiting) resume();
        waiting = [];
      }),
    );
  }

  const pool: Pool<S> = {
    get kills() {
      return kills;
    },
    serving: () => slots.filter((server) => server !== undefined),
    async pick(choice, { adjusts = false } = {}) {
      for (;;) {
        if (failure !== undefined) throw failure;
        const fit = pool.serving().filter((server) => !adjusts || server.adjusts);
        if (fit.length > 0) return choice.pick(fit);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    async kill(choice) {
      const server = await pool.pick(choice);
      const slot = slots.indexOf(server);
      slots[slot] = undefined;
      kills++;
      await server.end("SIGKILL");
      start(slot);
    },
    async whole() {
      await Promise.all(starting.values());
      if (failure !== undefined) throw failure;
    },
    async close(signal = "SIGTERM") {
      await Promise.all(starting.values());
      await Promise.all(pool.serving().map((server) => server.end(signal)));
    },
  };
  for (const slot of starters.keys()) start(slot);
  await pool.whole();
  return pool;
}
