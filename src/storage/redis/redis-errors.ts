import { StorageError } from "../storage-errors.ts";

/** An error after which it is worth trying again, although nothing may have been applied or nobody knows. */
export class UncertainError extends Error {
  override readonly name = "UncertainError";
}

/** Refused for now, surely not applied: the server is starting, or its place in the cluster or its role is changing. */
const LATER =
  /^(LOADING|BUSY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|NOREPLICAS|READONLY|MOVED|ASK)\b|Too many Cluster redirections/;
/** Never sent: the client had no connection to write to. */
const UNSENT = /Stream isn't writeable|Cluster isn't ready/;
/** Sent, and the answer never came. */
const UNANSWERED =
  /Command timed out|Connection is closed|Command aborted|max retries per request|Socket timeout|ECONNRESET|EPIPE|ETIMEDOUT/;

/** What went wrong, without the words of the client for its own settings. */
export function reasonOf(error: Error): string {
  if (/Command timed out|Socket timeout/.test(error.message)) return "no reply in time";
  if (isReplica(error)) return "READONLY: it is a replica and takes no writes; the storage URL must name the primary";
  if (isWrongDatabase(error)) return `it has no database of that number (${error.message})`;
  const lost = /Connection is closed|Command aborted|max retries per request|Stream isn't writeable/;
  return lost.test(error.message) ? "the connection was lost" : wordsOf(error);
}

/** The client hangs the command on its errors, with passwords and stored values: they must not get into a log. */
export function bare(error: Error): Error {
  Reflect.deleteProperty(error, "command");
  return error;
}

/**
 * The server's words, without those of the client. A server below version 7 wraps what a script meets itself:
 * `ERR Error running script (…): …: -READONLY …`.
 */
function wordsOf(error: Error): string {
  return error.message.replace(/^Ready check failed: |^ERR Error running script .*user_script: ?\d+: -?/s, "");
}

/** Whether the server is a replica: its name may lead to the primary by now. */
export function isReplica(error: Error): boolean {
  return wordsOf(error).startsWith("READONLY");
}

/** What an error says of its command: refused for now, perhaps applied, or refused for good. */
export function outcomeOf(error: Error): "later" | "uncertain" | "failed" {
  if (error instanceof UncertainError) return "uncertain";
  if (LATER.test(wordsOf(error)) || UNSENT.test(error.message)) return "later";
  return UNANSWERED.test(error.message) ? "uncertain" : "failed";
}

/** A login or a database that the server refuses will not be better in a moment. */
export function isRefusal(error: Error | undefined): boolean {
  if (error === undefined) return false;
  return /^(WRONGPASS|NOAUTH|NOPERM|ERR AUTH|ERR invalid password)/.test(wordsOf(error)) || isWrongDatabase(error);
}

/** The server has fewer databases, or is part of a cluster, which has but one. */
export function isWrongDatabase(error: Error): boolean {
  return /^ERR (DB index|invalid DB index|SELECT is not allowed)/.test(error.message);
}

/** An error of the server as one of the storage. */
export function refused(name: string, error: Error): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError(`Redis at ${name} refuses: ${reasonOf(error)}`);
}
