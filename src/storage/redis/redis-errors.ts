import { Cluster, type Redis } from "ioredis";
import { patternsOf } from "../../runtime/text/patterns.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import { StorageError } from "../storage.ts";
import { CLUSTER_COMMAND_MS } from "./redis-url.ts";
import PATTERNS from "./redis-error-patterns.json" with { type: "json" };

/** An error after which the command may have been applied, and a retry makes sense. */
export class UncertainError extends Error {
  override readonly name = "UncertainError";
}

/** Adds a timeout to a command: a cluster's client has none while it finds no node. */
export function withinDeadline<T>(client: Redis | Cluster, command: Promise<T>): Promise<T> {
  if (!(client instanceof Cluster)) return command;
  return withTimeout(command, CLUSTER_COMMAND_MS, () => Promise.reject(new Error("Command timed out")));
}

/** Kinds of error messages. `later`: refused for now and not applied, since the server is starting or changes its role
 * or slots; `unsent`: not sent, for lack of a connection; `unanswered`: sent without a reply. */
const MESSAGES = patternsOf(PATTERNS);

/** Whether an error reply concerns only one key, which holds a list, a set or the like instead of a string. */
export const isRedisDamage = (error: unknown): boolean => error instanceof Error && /^WRONGTYPE\b/.test(error.message);

/** The cause in plain words, without the client's names for its own settings. */
export function reasonOf(error: Error): string {
  if (/Command timed out|Socket timeout/.test(error.message)) return "no reply in time";
  if (isReplica(error)) return "READONLY: it is a replica and takes no writes; the storage URL must name the primary";
  if (isWrongDatabase(error)) return `it has no database of that number (${error.message})`;
  return MESSAGES.lost.test(error.message) ? "the connection was lost" : serverMessage(error);
}

/** The server's message, without the client's prefix and what servers before version 7 add to a script's error. */
const serverMessage = (error: Error): string =>
  error.message.replace(/^Ready check failed: |^ERR Error running script .*user_script: ?\d+: -?/s, "");

/** Whether the server is a replica. After a reconnection its name may resolve to the primary. */
export const isReplica = (error: Error): boolean => serverMessage(error).startsWith("READONLY");

/** Whether a failed command was refused for now, may have been applied, or was refused for good. */
export function classifyFailure(error: Error): "later" | "uncertain" | "failed" {
  if (error instanceof UncertainError) return "uncertain";
  if (MESSAGES.later.test(serverMessage(error)) || MESSAGES.unsent.test(error.message)) return "later";
  return MESSAGES.unanswered.test(error.message) ? "uncertain" : "failed";
}

/** Whether the server refuses the login or the database, so that a retry is useless. */
export const isRefusal = (error: Error | undefined): boolean =>
  error !== undefined && (MESSAGES.refused.test(serverMessage(error)) || isWrongDatabase(error));

/** The server has fewer databases, or is part of a cluster, which has only one. */
export const isWrongDatabase = (error: Error): boolean => MESSAGES.wrongDatabase.test(error.message);

/** The StorageError for a server's error; an error that concerns only one key is returned unchanged. */
export function refusalError(name: string, error: Error): Error {
  if (error instanceof StorageError || isRedisDamage(error)) return error;
  return new StorageError(`Redis at ${name} refuses: ${reasonOf(error)}`);
}
