import { readFileSync } from "node:fs";
import { fillTemplate, type TemplateValues } from "../../runtime/text/fill-template.ts";
import { StorageAddressError } from "../storage.ts";
import ERRORS from "./redis-url-errors.json" with { type: "json" };

export type RedisSettings = Readonly<ReturnType<typeof parseRedisUrl>>;
const FORM = /^(redis|rediss|redis-cluster|rediss-cluster):\/\/(?:([^@/?]*)@)?([^@/?]+)(?:\/(\d*))?(?:\?(.*))?$/s;
/** Minimum, maximum and default of each numeric parameter. */
const NUMBERS = { wait_replicas: [0, 16, 0], wait_ms: [1, 1000, 500], timeout_ms: [50, 60_000, 700] } as const;
const FILES = ["password_file", "tls_ca_file", "tls_cert_file", "tls_key_file"] as const;
const PARAMETERS: readonly string[] = ["prefix", ...Object.keys(NUMBERS), ...FILES];
/** A command on a cluster fails after this time, ms: the client itself would look for a node forever. */
export const CLUSTER_COMMAND_MS = 800;

/** Reads a Redis storage URL: `redis://[USER[:PASSWORD]@]HOST[:PORT][/DB][?PARAMETERS]`, `rediss://` over TLS,
 * `redis-cluster://` and `rediss-cluster://` with one or more nodes to start from, separated by commas. Parameters:
 * `prefix` (default `anp`), `wait_replicas` (0), `wait_ms` (500; less than `timeout_ms`, and than 800 on a cluster),
 * `timeout_ms` (700), and files with secrets: `password_file`, `tls_ca_file`, `tls_cert_file`, `tls_key_file`.
 * @throws StorageAddressError that names the part and its bounds */
export function parseRedisUrl(url: string) {
  const match = FORM.exec(url);
  // A URL that is not understood may hold a password anywhere, so it is not repeated.
  if (match === null) throw errorOf("form");
  const [, scheme = "", user = "", hosts = "", db = "", query = ""] = match;
  const cluster = scheme.endsWith("-cluster");
  const nodes = hosts.split(",").map(parseNode);
  if (!cluster && nodes.length > 1) throw errorOf("hosts");
  if (cluster && Number(db) !== 0) throw errorOf("database");
  const parameters = parseParameters(query);
  const prefix = parameters.get("prefix") ?? "anp";
  if (!/^[\w.:-]{1,64}$/.test(prefix)) throw errorOf("prefix");
  const [name = "", ...rest] = user.split(":");
  return {
    cluster,
    tls: readTls(scheme, parameters),
    nodes,
    username: decode(name),
    password: decode(rest.join(":")) ?? readSecret(parameters, "password_file")?.trim(),
    db: Number(db),
    prefix,
    ...parseTiming(parameters, cluster),
    shown: `${scheme}://${hosts}${db && `/${db}`}${query && `?${query}`}`,
  };
}

const errorOf = (error: keyof typeof ERRORS, values: TemplateValues = {}): StorageAddressError =>
  new StorageAddressError(fillTemplate(ERRORS[error], values));

/** The error does not repeat the text: it may be a part of a password. */
function parseNode(text: string): { host: string; port: number } {
  const [, bracketed, plain, port = "6379"] = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) throw errorOf("host");
  return { host, port: Number(port) };
}

function parseParameters(query: string): URLSearchParams {
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (PARAMETERS.includes(name)) continue;
    // What comes before a later @ may be the rest of a password that has a ? in it.
    if (query.includes("@")) throw errorOf("form");
    throw errorOf("parameter", { given: JSON.stringify(name), known: PARAMETERS.join(", ") });
  }
  return parameters;
}

function decode(part: string): string | undefined {
  try {
    return part === "" ? undefined : decodeURIComponent(part);
  } catch {
    throw errorOf("percent");
  }
}

function readTls(scheme: string, parameters: URLSearchParams) {
  const ca = readSecret(parameters, "tls_ca_file");
  const cert = readSecret(parameters, "tls_cert_file");
  const key = readSecret(parameters, "tls_key_file");
  if (scheme.startsWith("rediss")) return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  if ((ca ?? cert ?? key) === undefined) return undefined;
  throw errorOf("tls", { secure: scheme.replace("redis", "rediss") });
}

/** Replicas that must confirm a write (0: none), how long it waits for them, and the longest time of a command, ms. */
function parseTiming(parameters: URLSearchParams, cluster: boolean) {
  const waitReplicas = parseInteger(parameters, "wait_replicas");
  const waitMs = parseInteger(parameters, "wait_ms");
  const timeoutMs = parseInteger(parameters, "timeout_ms");
  const bound = cluster ? Math.min(timeoutMs, CLUSTER_COMMAND_MS) : timeoutMs;
  const reason = bound === timeoutMs ? "timeout_ms" : "on a cluster";
  if (waitReplicas > 0 && waitMs >= bound) throw errorOf("wait", { waitMs, bound, reason });
  return { waitReplicas, waitMs, timeoutMs };
}

function parseInteger(parameters: URLSearchParams, name: keyof typeof NUMBERS): number {
  const [min, max, fallback] = NUMBERS[name];
  const text = parameters.get(name);
  if (text === null) return fallback;
  const value = Number(text);
  if (/^\d{1,6}$/.test(text) && value >= min && value <= max) return value;
  throw errorOf("number", { name, min, max });
}

function readSecret(parameters: URLSearchParams, name: (typeof FILES)[number]): string | undefined {
  const path = parameters.get(name);
  if (path === null) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw errorOf("file", { name, reason: (error as Error).message });
  }
}
