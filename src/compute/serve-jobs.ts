import { parentPort } from "node:worker_threads";
import type { Jobs } from "./job-runner.ts";

/** What a runner sends to its worker. */
export type JobRequest = { readonly name: string; readonly input: unknown };
/** What a worker sends: first that it is ready, then one reply for each request. */
export type JobReply = { readonly ready: true } | { readonly output: unknown } | { readonly error: Error };

/** The body of a worker's file: runs the jobs that its runner sends, from the table that `open` makes. */
export async function serveJobs(open: () => Jobs | Promise<Jobs>): Promise<void> {
  const port = parentPort!;
  const jobs = await open();
  port.on("message", ({ name, input }: JobRequest) => void reply(name, input));
  port.postMessage({ ready: true } satisfies JobReply);

  async function reply(name: string, input: unknown): Promise<void> {
    const moved: ArrayBuffer[] = [];
    try {
      const move = (buffer: ArrayBuffer): void => void moved.push(buffer);
      const output = await jobs[name]!(input as never, { step: () => undefined, move });
      port.postMessage({ output } satisfies JobReply, moved);
    } catch (error) {
      const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
      // Other properties of an error may not be cloneable.
      port.postMessage({ error: Object.assign(new Error(message), { stack }) } satisfies JobReply);
    }
  }
}
