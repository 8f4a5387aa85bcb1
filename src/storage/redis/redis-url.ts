import { readFileSync } from "node:fs";
import { StorageAddressError } from "../storage-errors.ts";

/** What a Redis storage URL says. */
export interface RedisSettings {
  readonly cluster: boolean;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Number of the database; a cluster has only 0. */
  readonly db: number;
  /** The first part of every key. */
  readonly prefix: string;
  /** How many replicas must confirm a write before it is acknowledged; 0 waits for none. */
  readonly waitReplicas: number;
  /** How long a write waits for them, ms. */
  readonly waitMs: number;
  /** The longest time one command may take, ms. */
  readonly timeoutMs: number;
  /** The URL without its secrets. */
  readonly shown: string;
}

const FORM = /^(redis|rediss|redis-cluster|rediss-cluster):\/\/(?:([^@/?]*)@)?([^@/?]+)(?:\/(\d*))?(?:\?(.*))?$/s;
const PARAMETERS = [
  "prefix",
  "wait_replicas",
  "wait_ms",
  "timeout_ms",
  "password_file",
  "tls_ca_file",
  "tls_cert_file",
  "tls_key_file",
] as const;
type Parameter = (typeof PARAMETERS)[number];

/** A cluster's client looks for a node that serves a command for ever; it is given up after this time, ms. */
export const CLUSTER_COMMAND_MS = 800;

/** The forms that are understood, for a message. */
export const REDIS_FORMS = "redis://HOST:PORT/DB, rediss:// (TLS), redis-cluster://HOST:PORT,HOST:PORT";
const ENCODE = "In a password, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25.";

/**
 * Reads a Redis storage URL: `redis://[USER[:PASSWORD]@]HOST[:PORT][/DB][?PARAMETERS]`, `rediss://` over TLS,
 * `redis-cluster://` and `rediss-cluster://` with one or more nodes to start from, separated by commas. Parameters:
 * `prefix` (default `anp`), `wait_replicas` (0), `wait_ms` (500; less than `timeout_ms`, and
 * than 800 on a cluster), `timeout_ms` (700), and files with secrets:
 * `password_file`, `tls_ca_file`, `tls_cert_file`, `tls_key_file`.
 *
 * @throws StorageAddressError that names the part and its bounds
 */
export function parseRedisUrl(url: string): RedisSettings {
  const match = FORM.exec(url);
  // A URL that is not understood may hold a password anywhere, so it is not repeated.
  const unreadable = (): StorageAddressError =>
    new StorageAddressError(`The Redis storage URL is not understood. Use ${REDIS_FORMS}. ${ENCODE}`);
  if (match === null) throw unreadable();
  const [, scheme = "", user, hosts = "", db = "", query = ""] = match;
  const cluster = scheme.endsWith("-cluster");
  const nodes = hosts.split(",").map((text) => {
    const node = parseNode(text);
    if (node === undefined) {
      throw new StorageAddressError(
        `The storage URL's host is not understood. Use HOST or HOST:PORT, a port from 1 to 65535. ${ENCODE}`,
      );
    }
    return node;
  });
  if (!cluster && nodes.length > 1) {
    throw new StorageAddressError("A redis:// URL has one host; several are for redis-cluster://.");
  }
  const number = db === "" ? 0 : Number(db);
  if (cluster && number !== 0) throw new StorageAddressError("A Redis Cluster has the database 0 alone.");

  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (!PARAMETERS.includes(name as Parameter)) {
      // What stands before a later @ may be the rest of a password that has a ? in it.
      if (query.includes("@")) throw unreadable();
      throw new StorageAddressError(
        `The storage URL has an unknown parameter ${JSON.stringify(name)}. Known: ${PARAMETERS.join(", ")}.`,
      );
    }
  }
  const prefix = parameters.get("prefix") ?? "anp";
  if (!/^[\w.:-]{1,64}$/.test(prefix)) {
    throw new StorageAddressError("The storage URL's prefix must be 1 to 64 letters, digits, or one of _ . : -");
  }
  const file = (name: Parameter): string | undefined => {
    const path = parameters.get(name);
    return path === null ? undefined : readSecret(name, path);
  };
  const [username, password] = parseUser(user);
  const ca = file("tls_ca_file");
  const cert = file("tls_cert_file");
  const key = file("tls_key_file");
  const tls = scheme.startsWith("rediss");
  if (!tls && (ca ?? cert ?? key) !== undefined) {
    throw new StorageAddressError(`The storage URL's tls_… files need rediss${cluster ? "-cluster" : ""}://.`);
  }
  const waitReplicas = integer("wait_replicas", 0, 16, 0);
  const waitMs = integer("wait_ms", 1, 1000, 500);
  const timeoutMs = integer("timeout_ms", 50, 60_000, 700);
  const bound = cluster ? Math.min(timeoutMs, CLUSTER_COMMAND_MS) : timeoutMs;
  if (waitReplicas > 0 && waitMs >= bound) {
    throw new StorageAddressError(
      `The storage URL's wait_ms is ${waitMs}, but a command is given up after ${bound} ms ` +
        `(${bound === timeoutMs ? "timeout_ms" : "on a cluster"}), before it tells how many replicas confirmed. ` +
        `Let wait_ms be less than ${bound}.`,
    );
  }
  return {
    cluster,
    tls: tls ? { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } : undefined,
    nodes,
    username,
    password: password ?? file("password_file")?.trim(),
    db: number,
    prefix,
    waitReplicas,
    waitMs,
    timeoutMs,
    shown: `${scheme}://${hosts}${db === "" ? "" : `/${db}`}${query === "" ? "" : `?${query}`}`,
  };

  function integer(name: Parameter, least: number, most: number, fallback: number): number {
    const text = parameters.get(name);
    if (text === null) return fallback;
    const value = Number(text);
    if (/^\d{1,6}$/.test(text) && value >= least && value <= most) return value;
    throw new StorageAddressError(`The storage URL's ${name} must be a whole number from ${least} to ${most}.`);
  }
}

/** Undefined where it is not understood: it may be a part of a password. */
function parseNode(text: string): { host: string; port: number } | undefined {
  const [, bracketed, plain, port = "6379"] = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  return host === undefined || Number(port) < 1 || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}

function parseUser(text: string | undefined): [string | undefined, string | undefined] {
  if (text === undefined || text === "") return [undefined, undefined];
  const [name = "", ...rest] = text.split(":");
  const decode = (part: string): string | undefined => {
    try {
      return part === "" ? undefined : decodeURIComponent(part);
    } catch {
      throw new StorageAddressError(
        "The storage URL's user or password has a % that encodes nothing. Write it as %25.",
      );
    }
  };
  return [decode(name), decode(rest.join(":"))];
}

function readSecret(name: Parameter, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StorageAddressError(`The storage URL's ${name} cannot be read: ${(error as Error).message}`);
  }
}
