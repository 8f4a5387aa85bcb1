import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { createRespFraming, wordsOf } from "./resp.ts";

/** One request or reply on its way through the proxy. */
export interface Message {
  /** Number of the connection, from 1. */
  readonly connection: number;
  readonly direction: "request" | "reply";
  /** Number among the connection's messages of that direction, from 1. */
  readonly number: number;
  /** The command, or the one that is answered. */
  readonly command: readonly string[];
  readonly bytes: number;
}

/**
 * What becomes of a message. `pass`: it goes on. `drop`: it and all that follows it in that direction vanish, while
 * the connection stays open. `cut`: the connection is reset before it goes on. `after`: it goes on that many ms later,
 * and what follows waits. `cutAt`: that many of its bytes go on, then the connection is reset.
 */
export type Fate = "pass" | "drop" | "cut" | { readonly after: number } | { readonly cutAt: number };

/** A TCP proxy before one Redis that does to it what networks do. */
export interface RedisProxy {
  readonly port: number;
  /** What happened so far, without the messages that passed. */
  readonly done: readonly { readonly message: Message; readonly fate: Exclude<Fate, "pass"> }[];
  /** How many connections were made so far. */
  connections(): number;
  /** Decides on all messages from now on. */
  decide(decide: (message: Message) => Fate): void;
  /** Resets all connections. */
  cutAll(): void;
  /** Leads new connections to another port, as an address that moves to another server does. */
  lead(port: number): void;
  stop(): Promise<void>;
}

/**
 * Starts a proxy before the Redis on `port` of the loopback; all messages pass until `decide` is called. A `raw` one
 * treats whatever arrives at once as a message, as between a primary and its replica.
 */
export async function startRedisProxy(port: number, { raw = false } = {}): Promise<RedisProxy> {
  let target = port;
  let decide: (message: Message) => Fate = () => "pass";
  const done: { message: Message; fate: Exclude<Fate, "pass"> }[] = [];
  const links = new Set<() => void>();
  let connections = 0;

  const server = createServer({ noDelay: true }, (client) => {
    const connection = ++connections;
    const upstream = connect({ port: target, host: "127.0.0.1", noDelay: true });
    const asked: string[][] = [];

    const cut = (): void => {
      links.delete(cut);
      // Node.js never lets go of a socket that is reset while it is being shut down.
      if (client.writableEnded) client.destroy();
      else client.resetAndDestroy();
      upstream.destroy();
    };
    links.add(cut);

    function join(direction: Message["direction"], from: Socket, to: Socket): void {
      const framing = createRespFraming();
      let number = 0;
      let silent = false;
      let before = Promise.resolve();

      const handle = async (bytes: Buffer, command: readonly string[]): Promise<void> => {
        if (silent || !links.has(cut)) return;
        const message = { connection, direction, number: ++number, command, bytes: bytes.length };
        const fate = decide(message);
        if (fate !== "pass") done.push({ message, fate });
        if (fate === "pass") to.write(bytes);
        else if (fate === "drop") silent = true;
        else if (fate === "cut") cut();
        else if ("after" in fate) {
          await new Promise((resolve) => setTimeout(resolve, fate.after));
          to.write(bytes);
        } else if (fate.cutAt === 0) cut();
        else {
          silent = true;
          to.write(bytes.subarray(0, fate.cutAt), cut);
        }
      };
      from.on("data", (chunk) => {
        for (const bytes of raw ? [chunk] : framing.push(chunk)) {
          const command = raw ? [] : direction === "request" ? wordsOf(bytes) : asked.shift()!;
          if (direction === "request") asked.push(command);
          before = before.then(() => handle(bytes, command));
        }
      });
      from.on("error", cut);
      from.on("close", cut);
    }

    join("request", client, upstream);
    join("reply", upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    port: (server.address() as AddressInfo).port,
    done,
    connections: () => connections,
    decide(next) {
      decide = next;
    },
    cutAll() {
      for (const cut of links) cut();
    },
    lead(next) {
      target = next;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const cut of links) cut();
      await closed;
    },
  };
}
