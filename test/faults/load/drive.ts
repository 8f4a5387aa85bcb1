import { monotonicNow, type Asked, type Call } from "./history.ts";
import { planOf, type PlanOptions } from "./plan.ts";
import type { Pool } from "./pool.ts";
import { seeded, type Seeded } from "./seeded.ts";
import type { Reply, Server } from "./server.ts";

/** How long a request is sent again. */
const PATIENCE_MS = 60_000;

/** The clients of one run. */
export interface Load extends Omit<PlanOptions, "client"> {
  readonly clients: number;
  /** Requests a second of all clients together; as fast as answers come when absent. */
  readonly rate?: number;
  /** Runs before each request: the place to hurt servers at. */
  readonly before?: (calls: readonly Call[]) => void;
  /** Whether clients are to stop. Asked before each request. */
  readonly enough: (calls: readonly Call[]) => boolean;
}

/** Asks one server and writes down what came of it. */
export async function record(
  calls: Call[],
  server: Server,
  asked: Asked,
  ask: (asked: Asked) => Promise<Reply | undefined> = (one) => server.ask(one),
): Promise<Call> {
  const [from, clock] = [monotonicNow(), Date.now()];
  const reply = await ask(asked);
  const answered = reply !== undefined && reply.answer.status !== "failed";
  const span = reply?.span ?? { from, to: monotonicNow(), clock: [clock, Date.now()] as const };
  const call: Call = {
    server: server.name,
    asked,
    from: span.from,
    // A write that was sent may take effect at any later time.
    to: answered ? span.to : Infinity,
    clock: span.clock,
    answer: reply?.answer,
  };
  calls.push(call);
  return call;
}

/**
 * Runs the clients until it is enough. What got no answer and has a key is asked again, of any server, until it is
 * answered. Every request ends up in `calls`.
 */
export async function drive(pool: Pool, load: Load, calls: Call[]): Promise<void> {
  const started = performance.now();

  async function askAgain(asked: Asked, choice: Seeded): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (let attempt = 1; performance.now() < deadline; attempt++) {
      const server = await pool.pick(choice, { adjusts: asked.request.kind === "adjust" });
      const { answer } = await record(calls, server, { ...asked, request_id: `${asked.request_id}-again${attempt}` });
      if (answer !== undefined && answer.status !== "failed") return;
    }
    throw new Error(`${asked.request_id} got no answer for ${PATIENCE_MS} ms`);
  }

  async function client(number: number): Promise<void> {
    const choice = seeded(load.seed, load.run, "server", number);
    let step = 0;
    for (const asked of planOf({ ...load, client: number })) {
      if (load.rate !== undefined) {
        const due = started + ((step++ + number / load.clients) * load.clients * 1000) / load.rate;
        const wait = due - performance.now();
        if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
      }
      load.before?.(calls);
      if (load.enough(calls)) return;
      const server = await pool.pick(choice, { adjusts: asked.request.kind === "adjust" });
      const { answer } = await record(calls, server, asked);
      const open = answer === undefined || answer.status === "failed";
      if (open && (asked.key !== undefined || asked.request.kind === "trade_reward")) await askAgain(asked, choice);
    }
  }

  await Promise.all(Array.from({ length: load.clients }, (_, number) => client(number)));
}
