import type { Result } from "ioredis";
import type { CreateOutcome } from "../storage.ts";

/** A value to be created under a Redis key. */
export interface Creation {
  readonly name: string;
  readonly value: string;
  /** What must exist: a key, with this value where one is given. */
  readonly predecessor: { readonly name: string; readonly value: string | undefined } | undefined;
}

const REPLY = { created: 1, sameValue: 2, conflict: 0, gap: -1, failover: -2 } as const;

/** The script's reply for one creation. An error concerns only that one. */
export type CreationReply = (typeof REPLY)[keyof typeof REPLY] | Error;

/**
 * Makes creations, each on its own. KEYS: their keys, then the predecessor of each. ARGV, three for each: the value; what
 * is required of the predecessor ("" nothing, "exists" that it exists, "equals" that its value is the third). The same
 * value, if it exists already, is written once more, so that WAIT has a write to wait for. A key that does not hold a
 * string gives its error for that creation; any other error comes before the first write.
 */
const CREATE_VALUES = `
local count = #KEYS / 2
local predecessors = redis.call('MGET', unpack(KEYS, count + 1))
local replies = {}
for i = 1, count do
  local key, value, required, predecessor = KEYS[i], ARGV[3 * i - 2], ARGV[3 * i - 1], predecessors[i]
  local gap = required ~= '' and not predecessor
  local failover = required == 'equals' and predecessor and predecessor ~= ARGV[3 * i]
  if gap or failover then
    replies[i] = redis.call('EXISTS', key) == 1 and ${REPLY.conflict} or gap and ${REPLY.gap} or ${REPLY.failover}
  elseif redis.call('SETNX', key, value) == 1 then
    replies[i] = ${REPLY.created}
  else
    local stored = redis.pcall('GET', key)
    if stored == value then
      redis.call('SET', key, value)
      replies[i] = ${REPLY.sameValue}
    else
      replies[i] = type(stored) == 'table' and stored or ${REPLY.conflict}
    end
  end
end
return replies`;

/**
 * Writes KEYS[1] once more if its value is ARGV[1], so that WAIT has a write to wait for, which is after the first. 1:
 * written; 0: the key has another value.
 */
const CONFIRM_VALUE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1`;

/**
 * Our scripts as ioredis wants them: it sends the text of one once over each connection and in each pipeline, its digest
 * afterwards, and the text again to a server that does not know the digest.
 */
export const REDIS_SCRIPTS = { createValues: { lua: CREATE_VALUES }, confirmValue: { lua: CONFIRM_VALUE } };

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
  const values = creations.flatMap(({ value, predecessor }) => [
    value,
    predecessor === undefined ? "" : predecessor.value === undefined ? "exists" : "equals",
    predecessor?.value ?? "",
  ]);
  return [2 * names.length, ...names, ...predecessors, ...values];
}

/**
 * What the reply of `createValues` for one creation means.
 *
 * @param uncertain whether an earlier try of ours may have been applied: the same value is ours then
 */
export function outcomeOfReply(reply: CreationReply, uncertain: boolean): CreateOutcome | Error {
  switch (reply) {
    case REPLY.created:
      return "created";
    case REPLY.sameValue:
      return uncertain ? "created" : "conflict";
    case REPLY.conflict:
      return "conflict";
    case REPLY.gap:
      return "gap";
    case REPLY.failover:
      return "failover";
    default:
      return reply;
  }
}
