import { Cluster, type Redis } from "ioredis";
import { patternsOf } from "../../runtime/text/patterns.ts";
import { within } from "../../runtime/within.ts";
import { StorageError } from "../storage.ts";
import { CLUSTER_COMMAND_MS } from "./redis-url.ts";
import PATTERNS from "./redis-error-patterns.json" with { type: "json" };

/** An error after which another try is worth while, whether or not the command was applied. */
export class UncertainError extends Error {
  override readonly name = "UncertainError";
}

/** Limits the time of a command: a cluster's client does not when it finds no node. */
export function withinDeadline<T>(client: Redis | Cluster, command: Promise<T>): Promise<T> {
  if (!(client instanceof Cluster)) return command;
  return within(command, CLUSTER_COMMAND_MS, () => Promise.reject(new Error("Command timed out")));
}

/** What an error says. `later`: refused for now, certainly not applied, since the server is starting, or its place in the
 * cluster or its role changes; `unsent`: never sent, without a connection to write to; `unanswered`: sent, no answer came. */
const SAYS = patternsOf(PATTERNS);

/** Whether an error reply concerns one key alone: a list, a set or the like is in the place of a string. */
export const isRedisDamage = (error: unknown): boolean => error instanceof Error && /^WRONGTYPE\b/.test(error.message);

/** The cause in plain words, without the client's names for its own settings. */
export function reasonOf(error: Error): string {
  if (/Command timed out|Socket timeout/.test(error.message)) return "no reply in time";
  if (isReplica(error)) return "READONLY: it is a replica and takes no writes; the storage URL must name the primary";
  if (isWrongDatabase(error)) return `it has no database of that number (${error.message})`;
  return SAYS.lost.test(error.message) ? "the connection was lost" : serverMessage(error);
}

/** The server's message, without the client's prefix, and without what a server before version 7 puts around a script's. */
const serverMessage = (error: Error): string =>
  error.message.replace(/^Ready check failed: |^ERR Error running script .*user_script: ?\d+: -?/s, "");

/** Whether the server is a replica: its name may resolve to the primary by now. */
export const isReplica = (error: Error): boolean => serverMessage(error).startsWith("READONLY");

/** Whether the command of an error was refused for now, perhaps applied, or refused for good. */
export function classifyFailure(error: Error): "later" | "uncertain" | "failed" {
  if (error instanceof UncertainError) return "uncertain";
  if (SAYS.later.test(serverMessage(error)) || SAYS.unsent.test(error.message)) return "later";
  return SAYS.unanswered.test(error.message) ? "uncertain" : "failed";
}

/** Whether the server refuses the login or the database, which another try does not change. */
export const isRefusal = (error: Error | undefined): boolean =>
  error !== undefined && (SAYS.refused.test(serverMessage(error)) || isWrongDatabase(error));

/** The server has fewer databases, or is part of a cluster, which has only one. */
export const isWrongDatabase = (error: Error): boolean => SAYS.wrongDatabase.test(error.message);

/** The error of the storage for an error of the server; one that concerns a key alone stays as it is. */
export function refusalError(name: string, error: Error): Error {
  if (error instanceof StorageError || isRedisDamage(error)) return error;
  return new StorageError(`Redis at ${name} refuses: ${reasonOf(error)}`);
}
