import { fork } from "node:child_process";
import { join } from "node:path";
import { inject } from "vitest";
import type { Asked } from "./history.ts";
import type { Reply, Server } from "./server.ts";

/** Where a process is to be killed: right before its n-th step, counted from 1; see `stop-at-step.js`. */
export interface Stop {
  readonly level: "storage" | "writes" | "files";
  readonly before: number;
}

/** A process that runs the service itself, without a daemon around it. */
export interface ServiceProcess extends Server {
  /** Sets its clock to the machine's plus this many milliseconds. */
  skew(ms: number): Promise<void>;
  /** Asks, and counts the steps of the answer, to be killed at one of them. */
  askUntil(stop: Stop, asked: Asked): Promise<(Reply & { readonly steps: readonly string[] }) | undefined>;
}

interface Message extends Partial<Reply> {
  readonly number: number;
  readonly steps?: readonly string[];
}

let started = 0;

/** Starts a process that runs the service on the storage, with these settings over the defaults. */
export async function startServiceProcess(
  url: string,
  flags: Readonly<Record<string, unknown>>,
): Promise<ServiceProcess> {
  const program = join(inject("processes"), "service-process.js");
  const child = fork(program, [url, JSON.stringify(flags)], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const waiting = new Map<number, (message: Message | undefined) => void>();
  let log = "";
  let gone = false;
  let number = 0;
  child.stderr!.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  // The channel is read to its end before `close`: what was answered is not taken for unanswered.
  const ended = new Promise<void>((resolve) => {
    child.on("close", () => {
      gone = true;
      for (const answer of waiting.values()) answer(undefined);
      waiting.clear();
      resolve();
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once("message", () => {
      resolve();
    });
    void ended.then(() => {
      reject(new Error(`the service process did not start: ${log}`));
    });
  });
  child.on("message", (message: Message) => {
    waiting.get(message.number)?.(message);
    waiting.delete(message.number);
  });

  function send(message: object): Promise<Message | undefined> {
    if (gone) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      waiting.set(++number, resolve);
      // A channel that breaks is reported by `close`.
      child.send({ number, ...message }, () => undefined);
    });
  }

  return {
    name: `service ${++started}`,
    pid: child.pid!,
    adjusts: true,
    ask: async (asked) => (await send({ asked })) as Reply | undefined,
    async askUntil(stop, asked) {
      return (await send({ asked, stop })) as (Reply & { steps: readonly string[] }) | undefined;
    },
    async skew(ms) {
      await send({ skew_ms: ms });
    },
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}
