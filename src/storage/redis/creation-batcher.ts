import { hash } from "node:crypto";
import type { ChainableCommander, Cluster, Redis } from "ioredis";
import type { CreateOutcome } from "../storage.ts";

/** A value to be created under a key of Redis. */
export interface Creation {
  readonly name: string;
  readonly value: string;
  /** What must exist: a key, with this value where one is given. */
  readonly predecessor: { readonly name: string; readonly value: string | undefined } | undefined;
}

/** The script's reply for one creation. An error concerns that one alone. */
export type CreationReply = (typeof REPLY)[keyof typeof REPLY] | Error;

const REPLY = { created: 1, sameValue: 2, conflict: 0, gap: -1, failover: -2 } as const;

/** @param uncertain whether an earlier try of ours may have been applied: the same value is ours then */
export function outcomeOfReply(reply: Exclude<CreationReply, Error>, uncertain: boolean): CreateOutcome {
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
  }
}

/** Creations that one script call makes at the most, and the length of their values together, UTF-16 code units. */
const MOST_TOGETHER = 128;
const MOST_TEXT = 1_000_000;
/** From this many on, half of them are sent early. */
const LEAST_HALVED = 16;

/**
 * Makes creations, each on its own. KEYS: their keys, then the predecessor of each. ARGV, three for each: the value; what
 * is required of the predecessor ("" nothing, "exists" that it exists, "equals" that its value is the third). The same
 * value, if it exists already, is written once more, so that WAIT has a write to wait for. A key that does not hold a
 * string gives its error for that creation; any other error comes before the first write.
 */
const CREATE = `
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
const CREATE_DIGEST = hash("sha1", CREATE);

/** Makes the creations, whose keys are in one slot of a cluster, by one command. */
export async function runCreations(client: Redis | Cluster, creations: readonly Creation[]): Promise<CreationReply[]> {
  const input = inputOf(creations);
  try {
    return (await client.evalsha(CREATE_DIGEST, ...input)) as CreationReply[];
  } catch (error) {
    // A server that has not seen the script, a new or restarted one, has done nothing.
    if (!(error as Error).message.startsWith("NOSCRIPT")) throw error;
    return (await client.eval(CREATE, ...input)) as CreationReply[];
  }
}

/** The same as a part of a pipeline. */
export function queueCreations(commands: ChainableCommander, creations: readonly Creation[]): ChainableCommander {
  return commands.eval(CREATE, ...inputOf(creations));
}

function inputOf(creations: readonly Creation[]): [keyCount: number, ...string[]] {
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
 * Gathers the creations that are asked for before the event loop looks at its sockets again, and makes them together:
 * reading a command, syncing and replying are then done once for all of them, here and in the server. Where many callers
 * ask again and again, half of them are answered while the others prepare: the first as many as half of those that were
 * under way last are sent as soon as they are there.
 *
 * @param make makes several: the outcome of each, or its error
 */
export function gatherCreations(
  make: (creations: readonly Creation[]) => Promise<(CreateOutcome | Error)[]>,
): (creation: Creation) => Promise<CreateOutcome> {
  let waiting: Asked[] = [];
  let turnEnds = false;
  let sentCount = 0;
  /** How many are sent at once, before the others of the same turn of the event loop; once a turn. */
  let early = Infinity;
  let sentEarly = false;

  async function send(asked: readonly Asked[]): Promise<void> {
    sentCount += asked.length;
    const creations = asked.map(({ creation }) => creation);
    const outcomes = await make(creations).catch((error: unknown) => asked.map(() => error as Error));
    early = sentCount < LEAST_HALVED ? Infinity : Math.ceil(sentCount / 2);
    sentCount -= asked.length;
    for (const [index, { resolve, reject }] of asked.entries()) {
      const outcome = outcomes[index]!;
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }
  }

  function sendAll(): void {
    const portions = portionsOf(waiting);
    waiting = [];
    for (const together of portions) void send(together);
  }

  function endTurn(): void {
    turnEnds = false;
    sentEarly = false;
    sendAll();
  }

  return (creation) =>
    new Promise((resolve, reject) => {
      if (!turnEnds) setImmediate(endTurn);
      turnEnds = true;
      waiting.push({ creation, resolve, reject });
      if (waiting.length < early || sentEarly) return;
      sentEarly = true;
      sendAll();
    });
}

/** Makes each creation as it is asked for. @param make see {@link gatherCreations} */
export function oneByOne(
  make: (creations: readonly Creation[]) => Promise<(CreateOutcome | Error)[]>,
): (creation: Creation) => Promise<CreateOutcome> {
  return async (creation) => {
    const outcome = (await make([creation]))[0]!;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
}

interface Asked {
  readonly creation: Creation;
  readonly resolve: (outcome: CreateOutcome) => void;
  readonly reject: (error: Error) => void;
}

/** As many together as one call takes. */
function portionsOf(asked: readonly Asked[]): Asked[][] {
  const portions: Asked[][] = [];
  let text = 0;
  for (const one of asked) {
    const { length } = one.creation.value;
    const last = portions.at(-1);
    if (last === undefined || last.length === MOST_TOGETHER || text + length > MOST_TEXT) {
      portions.push([one]);
      text = length;
    } else {
      last.push(one);
      text += length;
    }
  }
  return portions;
}
