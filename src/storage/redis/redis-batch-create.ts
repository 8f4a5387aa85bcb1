import { hash } from "node:crypto";
import type { ChainableCommander, Cluster, Redis } from "ioredis";

/** A value to be created under a key of Redis. */
export interface Creation {
  readonly name: string;
  readonly value: string;
  /** What must be there: a key, with this value where one is given. */
  readonly after: { readonly name: string; readonly value: string | undefined } | undefined;
}

/**
 * What the script says of one creation. 1: created; 2: this very value is there; 0: something else is there, or what is
 * to be followed is not as it must be. An error concerns that one alone.
 */
export type CreationReply = 1 | 2 | 0 | Error;

/** Creations that one script call makes at the most, and the length of their values together, UTF-16 code units. */
const MOST_TOGETHER = 128;
const MOST_TEXT = 1_000_000;
/** From this many on, half of them are sent early. */
const LEAST_HALVED = 16;

/**
 * Makes creations, each for itself. KEYS: their keys, then for each of them the one it is to follow. ARGV, three for
 * each: the value; what is asked of the key to follow ("" nothing, "exists" that it is there, "equals" that its value is
 * the third). A value that is there already is written once more, so that WAIT has a write to wait for. A key that holds
 * no text gives its error for that creation; any other error comes before the first write.
 */
const CREATE = `
local count = #KEYS / 2
local followed = redis.call('MGET', unpack(KEYS, count + 1))
local replies = {}
for i = 1, count do
  local key, value, asked = KEYS[i], ARGV[3 * i - 2], ARGV[3 * i - 1]
  if asked ~= '' and (not followed[i] or (asked == 'equals' and followed[i] ~= ARGV[3 * i])) then
    replies[i] = 0
  elseif redis.call('SETNX', key, value) == 1 then
    replies[i] = 1
  else
    local there = redis.pcall('GET', key)
    if there == value then
      redis.call('SET', key, value)
      replies[i] = 2
    else
      replies[i] = type(there) == 'table' and there or 0
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
  const followed = creations.map(({ name, after }) => after?.name ?? name);
  const values = creations.flatMap(({ value, after }) => [
    value,
    after === undefined ? "" : after.value === undefined ? "exists" : "equals",
    after?.value ?? "",
  ]);
  return [2 * names.length, ...names, ...followed, ...values];
}

/**
 * Gathers the creations that are asked for before the event loop looks at its sockets again, and makes them together:
 * reading a command, syncing and replying are then done once for all of them, here and in the server. Where many callers
 * ask again and again, half of them are answered while the others prepare: the first as many as half of those that were
 * under way last are sent as soon as they are there.
 *
 * @param make makes several: whether each was created, or what is wrong with it
 */
export function gatherCreations(
  make: (creations: readonly Creation[]) => Promise<(boolean | Error)[]>,
): (creation: Creation) => Promise<boolean> {
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
      if (typeof outcome === "boolean") resolve(outcome);
      else reject(outcome);
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
  make: (creations: readonly Creation[]) => Promise<(boolean | Error)[]>,
): (creation: Creation) => Promise<boolean> {
  return async (creation) => {
    const [outcome] = await make([creation]);
    if (outcome instanceof Error) throw outcome;
    return outcome === true;
  };
}

interface Asked {
  readonly creation: Creation;
  readonly resolve: (created: boolean) => void;
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
