import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import type { Certificates } from "./certificates.ts";
import { temporaryFolder } from "./folder.ts";
import { freePort } from "./free-port.ts";
import { leash } from "./leash.ts";

/** A cluster's nodes talk to each other on the port that much higher. */
const BUS = 10_000;

/** How a server is started. */
export interface RedisServerOptions {
  /** Lines of redis.conf, as `appendonly: "yes"`. Without any, nothing is kept on disk. */
  readonly config?: Readonly<Record<string, string>>;
  readonly password?: string;
  /** Serves TLS alone, with these certificates. */
  readonly tls?: Certificates;
}

/** A real `redis-server` on a free port of the loopback, with a data folder of its own. */
export interface RedisServer {
  readonly port: number;
  /** Its data. */
  readonly folder: string;
  /** What it wrote to its log so far. */
  log(): string;
  /** A storage URL of it, with the query given. */
  url(query?: Readonly<Record<string, string>>): string;
  /** Sends one command over a connection of its own. */
  command(name: string, ...args: readonly (string | number)[]): Promise<unknown>;
  /** Kills it at once; its data stay. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
  /** Stops it from running, with its connections open. */
  pause(): void;
  resume(): void;
  /** Ends it, paused or not, and removes its data. */
  stop(): Promise<void>;
}

/** Starts a Redis and waits until it answers. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { config = {}, password, tls } = options;
  const data = await temporaryFolder();
  // Another process may take the port before the server does.
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(BUS);
    const lines: Record<string, string> = {
      ...(tls === undefined
        ? { port: String(port) }
        : {
            port: "0",
            "tls-port": String(port),
            "tls-cert-file": tls.certFile,
            "tls-key-file": tls.keyFile,
            "tls-ca-cert-file": tls.caFile,
            "tls-auth-clients": "no",
          }),
      bind: "127.0.0.1",
      dir: data.path,
      save: "",
      "repl-diskless-sync-delay": "0",
      ...(password === undefined ? {} : { requirepass: password, masterauth: password }),
      // While it syncs each second on a busy disk, a server holds back writes that it acknowledged; killed, it loses them.
      ...(config["appendonly"] === "yes" ? { appendfsync: "no" } : {}),
      ...config,
    };
    const args = Object.entries(lines).flatMap(([name, value]) => [`--${name}`, value]);
    const log: string[] = [];
    const started = await launch(args, data.path, log).catch(async (error: unknown) => {
      if (attempt < 5 && log.join("").includes("Address already in use")) return undefined;
      await data.remove();
      throw error;
    });
    if (started !== undefined) return serverOf({ port, data, args, log, child: started, options });
  }
}

function launch(args: readonly string[], folder: string, log: string[]): Promise<ChildProcess> {
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "pipe"] });
  leash(child, folder);
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (chunk: string): void => {
      log.push(chunk);
      said += chunk;
      if (said.includes("Ready to accept connections")) resolve(child);
    };
    child.stdout.setEncoding("utf8").on("data", hear);
    child.stderr.setEncoding("utf8").on("data", hear);
    child.once("error", reject);
    child.once("exit", (code) => {
      reject(new Error(`redis-server ended (${code}) before it was ready:\n${log.join("").slice(-2000)}`));
    });
  });
}

function serverOf(start: {
  readonly port: number;
  readonly data: { readonly path: string; remove(): Promise<void> };
  readonly args: readonly string[];
  readonly log: string[];
  readonly child: ChildProcess;
  readonly options: RedisServerOptions;
}): RedisServer {
  const { port, data, args, log, options } = start;
  const { password, tls } = options;
  let { child } = start;

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  return {
    port,
    folder: data.path,
    log: () => log.join(""),
    url: (query) => storageUrl("", `127.0.0.1:${port}/0`, options, query),
    async command(name, ...words) {
      const client = new Redis({
        host: "127.0.0.1",
        port,
        ...(password === undefined ? {} : { password }),
        ...(tls === undefined ? {} : { tls: { ca: readFileSync(tls.caFile) } }),
        enableReadyCheck: false,
        maxRetriesPerRequest: 0,
        retryStrategy: () => null,
        commandTimeout: 30_000,
      });
      // The command's own failure reports it.
      client.on("error", () => undefined);
      try {
        return await client.call(name, ...words);
      } finally {
        client.disconnect();
      }
    },
    kill,
    async restart() {
      await kill();
      child = await launch(args, data.path, log);
    },
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    async stop() {
      await kill();
      await data.remove();
    },
  };
}

/** A storage URL: `redis…` or `rediss…`, the login, then `rest` and the query. */
export function storageUrl(
  suffix: "" | "-cluster",
  rest: string,
  { password, tls }: RedisServerOptions,
  query: Readonly<Record<string, string>> = {},
): string {
  const login = password === undefined ? "" : `:${encodeURIComponent(password)}@`;
  const search = new URLSearchParams({
    ...(tls === undefined ? {} : { tls_ca_file: tls.caFile }),
    ...query,
  }).toString();
  return `redis${tls === undefined ? "" : "s"}${suffix}://${login}${rest}${search === "" ? "" : `?${search}`}`;
}
