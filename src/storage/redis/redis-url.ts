import { readFileSync } from "node:fs";
import { StorageAddressError } from "../storage-errors.ts";

/** The settings of a Redis storage URL. */
export type RedisSettings = Readonly<ReturnType<typeof parseRedisUrl>>;

const FORM = /^(redis|rediss|redis-cluster|rediss-cluster):\/\/(?:([^@/?]*)@)?([^@/?]+)(?:\/(\d*))?(?:\?(.*))?$/s;
/** The least, the greatest and the default value of each parameter that is a number. */
const NUMBERS = { wait_replicas: [0, 16, 0], wait_ms: [1, 1000, 500], timeout_ms: [50, 60_000, 700] } as const;
const FILES = ["password_file", "tls_ca_file", "tls_cert_file", "tls_key_file"] as const;
const PARAMETERS: readonly string[] = ["prefix", ...Object.keys(NUMBERS), ...FILES];

/** A command on a cluster fails after this time, ms: the client itself would look for a node forever. */
export const CLUSTER_COMMAND_MS = 800;

const REDIS_FORMS = "redis://HOST:PORT/DB, rediss:// (TLS), redis-cluster://HOST:PORT,HOST:PORT";
const ENCODE = "In a password, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25.";

/**
 * Reads a Redis storage URL: `redis://[USER[:PASSWORD]@]HOST[:PORT][/DB][?PARAMETERS]`, `rediss://` over TLS,
 * `redis-cluster://` and `rediss-cluster://` with one or more nodes to start from, separated by commas. Parameters:
 * `prefix` (default `anp`), `wait_replicas` (0), `wait_ms` (500; less than `timeout_ms`, and than 800 on a cluster),
 * `timeout_ms` (700), and files with secrets: `password_file`, `tls_ca_file`, `tls_cert_file`, `tls_key_file`.
 *
 * @throws StorageAddressError that names the part and its bounds
 */
export function parseRedisUrl(url: string) {
  const match = FORM.exec(url);
  if (match === null) throw unreadable();
  const [, scheme = "", user, hosts = "", db = "", query = ""] = match;
  const cluster = scheme.endsWith("-cluster");
  const nodes = hosts.split(",").map(parseNode);
  if (!cluster && nodes.length > 1) {
    throw new StorageAddressError("A redis:// URL has one host; several are for redis-cluster://.");
  }
  const database = db === "" ? 0 : Number(db);
  if (cluster && database !== 0) throw new StorageAddressError("A Redis Cluster has the database 0 alone.");
  const parameters = parseParameters(query);
  const prefix = parsePrefix(parameters);
  const [username, password] = parseUser(user);
  const tls = readTls(scheme, parameters);
  const timing = parseTiming(parameters, cluster);
  return {
    cluster,
    tls,
    nodes,
    username,
    password: password ?? readSecret(parameters, "password_file")?.trim(),
    /** Number of the database; a cluster has only 0. */
    db: database,
    /** The first part of every key. */
    prefix,
    ...timing,
    /** The URL without its secrets. */
    shown: `${scheme}://${hosts}${db === "" ? "" : `/${db}`}${query === "" ? "" : `?${query}`}`,
  };
}

/** A URL that is not understood may hold a password anywhere, so it is not repeated. */
function unreadable(): StorageAddressError {
  return new StorageAddressError(`The Redis storage URL is not understood. Use ${REDIS_FORMS}. ${ENCODE}`);
}

/** The error does not repeat the text: it may be a part of a password. */
function parseNode(text: string): { host: string; port: number } {
  const [, bracketed, plain, port = "6379"] = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new StorageAddressError(
      `The storage URL's host is not understood. Use HOST or HOST:PORT, a port from 1 to 65535. ${ENCODE}`,
    );
  }
  return { host, port: Number(port) };
}

function parseParameters(query: string): URLSearchParams {
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (PARAMETERS.includes(name)) continue;
    // What comes before a later @ may be the rest of a password that has a ? in it.
    if (query.includes("@")) throw unreadable();
    const known = PARAMETERS.join(", ");
    throw new StorageAddressError(`The storage URL has an unknown parameter ${JSON.stringify(name)}. Known: ${known}.`);
  }
  return parameters;
}

function parsePrefix(parameters: URLSearchParams): string {
  const prefix = parameters.get("prefix") ?? "anp";
  if (/^[\w.:-]{1,64}$/.test(prefix)) return prefix;
  throw new StorageAddressError("The storage URL's prefix must be 1 to 64 letters, digits, or one of _ . : -");
}

type Tls = { readonly ca?: string; readonly cert?: string; readonly key?: string };

function readTls(scheme: string, parameters: URLSearchParams): Tls | undefined {
  const ca = readSecret(parameters, "tls_ca_file");
  const cert = readSecret(parameters, "tls_cert_file");
  const key = readSecret(parameters, "tls_key_file");
  if (scheme.startsWith("rediss")) return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  if ((ca ?? cert ?? key) === undefined) return undefined;
  const secure = scheme.replace("redis", "rediss");
  throw new StorageAddressError(`The storage URL's tls_… files need ${secure}://.`);
}

function parseTiming(parameters: URLSearchParams, cluster: boolean) {
  const waitReplicas = parseInteger(parameters, "wait_replicas");
  const waitMs = parseInteger(parameters, "wait_ms");
  const timeoutMs = parseInteger(parameters, "timeout_ms");
  const bound = cluster ? Math.min(timeoutMs, CLUSTER_COMMAND_MS) : timeoutMs;
  if (waitReplicas > 0 && waitMs >= bound) {
    throw new StorageAddressError(
      `The storage URL's wait_ms is ${waitMs}, but a command is given up after ${bound} ms ` +
        `(${bound === timeoutMs ? "timeout_ms" : "on a cluster"}), before it reports how many replicas confirmed. ` +
        `Let wait_ms be less than ${bound}.`,
    );
  }
  return {
    /** How many replicas must confirm a write before it is acknowledged; 0 waits for none. */
    waitReplicas,
    /** How long a write waits for them, ms. */
    waitMs,
    /** The longest time one command may take, ms. */
    timeoutMs,
  };
}

function parseInteger(parameters: URLSearchParams, name: keyof typeof NUMBERS): number {
  const [min, max, fallback] = NUMBERS[name];
  const text = parameters.get(name);
  if (text === null) return fallback;
  const value = Number(text);
  if (/^\d{1,6}$/.test(text) && value >= min && value <= max) return value;
  throw new StorageAddressError(`The storage URL's ${name} must be a whole number from ${min} to ${max}.`);
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

function readSecret(parameters: URLSearchParams, name: (typeof FILES)[number]): string | undefined {
  const path = parameters.get(name);
  if (path === null) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StorageAddressError(`The storage URL's ${name} cannot be read: ${(error as Error).message}`);
  }
}
