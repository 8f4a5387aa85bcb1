import { readFileSync } from "node:fs";
import type { Result } from "ioredis";
import type { AppendItemOutcome } from "../driver.ts";

/** A value to be created under a Redis key. */
export interface Creation {
  readonly name: string;
  readonly value: string;
  /** What must exist: a key, with this value where one is given. */
  readonly predecessor: { readonly name: string; readonly value: string | undefined } | undefined;
  /** The head of its stream, for an item: the key that holds it, and the item's number. */
  readonly head?: { readonly name: string; readonly version: number };
}

/** The script's reply for one creation; for `same`, the key has that very value. An error concerns only that one. */
type CreationReply = AppendItemOutcome | "same" | Error;

/**
 * Our scripts as ioredis wants them: it sends the text of one once over each connection and in each pipeline, its digest
 * afterwards, and the text again to a server that does not know the digest.
 */
export const REDIS_SCRIPTS = {
  createValues: { lua: readScript("create-values") },
  confirmValue: { lua: readScript("confirm-value") },
};

/** Its comments are not sent. */
function readScript(name: string): string {
  return readFileSync(new URL(`data/${name}.lua`, import.meta.url), "utf8").replaceAll(/^--.*\n/gm, "");
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    createValues(...input: CreationInput): Result<CreationReply[], Context>;
    confirmValue(keyCount: 1, key: string, value: string): Result<0 | 1, Context>;
  }
}

type CreationInput = [keyCount: number, ...string[]];

/** The arguments of `createValues` for these creations. */
export function inputOf(creations: readonly Creation[]): CreationInput {
  const names = creations.map(({ name }) => name);
  const predecessors = creations.map(({ name, predecessor }) => predecessor?.name ?? name);
  const heads = creations.map(({ name, head }) => head?.name ?? name);
  const values = creations.flatMap(({ value, predecessor, head }) => [
    value,
    predecessor === undefined ? "" : predecessor.value === undefined ? "exists" : "equals",
    predecessor?.value ?? "",
    head === undefined ? "" : String(head.version),
  ]);
  return [3 * names.length, ...names, ...predecessors, ...heads, ...values];
}

/**
 * What the reply of `createValues` for one creation means.
 *
 * @param uncertain whether an earlier try of ours may have been applied: the same value is ours then
 */
export function outcomeOfReply(reply: CreationReply, uncertain: boolean): AppendItemOutcome | Error {
  if (reply !== "same") return reply;
  return uncertain ? "created" : "conflict";
}
