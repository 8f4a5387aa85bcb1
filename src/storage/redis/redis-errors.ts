import { Cluster, type Redis } from "ioredis";
import { within } from "../../runtime/within.ts";
import { StorageError } from "../storage-errors.ts";
import { CLUSTER_COMMAND_MS } from "./redis-url.ts";

/** An error after which another try is worth while, whether or not the command was applied. */
export class UncertainError extends Error {
  override readonly name = "UncertainError";
}

/** Limits the time of a command: a cluster's client does not when it finds no node. */
export function withinDeadline<T>(client: Redis | Cluster, command: Promise<T>): Promise<T> {
  if (!(client instanceof Cluster)) return command;
  return within(command, CLUSTER_COMMAND_MS, () => Promise.reject(new Error("Command timed out")));
}

/** Refused for now, certainly not applied: the server is starting, or its place in the cluster or its role changes. */
const LATER =
  /^(LOADING|BUSY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|NOREPLICAS|READONLY|MOVED|ASK)\b|Too many Cluster redirections/;
const REFUSED = /^(WRONGPASS|NOAUTH|NOPERM|ERR AUTH|ERR invalid password)/;
const UNSENT = /Stream isn't writeable|Cluster isn't ready/; // Never sent: the client had no connection to write to.
/** Sent, and no answer came. */
const UNANSWERED =
  /Command timed out|Connection is closed|Command aborted|max retries per request|Socket timeout|ECONNRESET|EPIPE|ETIMEDOUT/;

/** Whether an error reply concerns one key alone: a list, a set or the like is in the place of a string. */
export const isRedisDamage = (error: unknown): boolean => error instanceof Error && /^WRONGTYPE\b/.test(error.message);

/** The cause in plain words, without the client's names for its own settings. */
export function reasonOf(error: Error): string {
  if (/Command timed out|Socket timeout/.test(error.message)) return "no reply in time";
  if (isReplica(error)) return "READONLY: it is a replica and takes no writes; the storage URL must name the primary";
  if (isWrongDatabase(error)) return `it has no database of that number (${error.message})`;
  const lost = /Connection is closed|Command aborted|max retries per request|Stream isn't writeable/;
  return lost.test(error.message) ? "the connection was lost" : serverMessage(error);
}

/** The server's message, without the client's prefix, and without what a server before version 7 puts around a script's. */
const serverMessage = (error: Error): string =>
  error.message.replace(/^Ready check failed: |^ERR Error running script .*user_script: ?\d+: -?/s, "");

/** Whether the server is a replica: its name may resolve to the primary by now. */
export const isReplica = (error: Error): boolean => serverMessage(error).startsWith("READONLY");

/** Whether the command of an error was refused for now, perhaps applied, or refused for good. */
export function classifyFailure(error: Error): "later" | "uncertain" | "failed" {
  if (error instanceof UncertainError) return "uncertain";
  if (LATER.test(serverMessage(error)) || UNSENT.test(error.message)) return "later";
  return UNANSWERED.test(error.message) ? "uncertain" : "failed";
}

/** Whether the server refuses the login or the database, which another try does not change. */
export const isRefusal = (error: Error | undefined): boolean =>
  error !== undefined && (REFUSED.test(serverMessage(error)) || isWrongDatabase(error));

/** The server has fewer databases, or is part of a cluster, which has only one. */
export const isWrongDatabase = (error: Error): boolean =>
  /^ERR (DB index|invalid DB index|SELECT is not allowed)/.test(error.message);

/** The error of the storage for an error of the server. */
export function refusalError(name: string, error: Error): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError(`Redis at ${name} refuses: ${reasonOf(error)}`);
}
