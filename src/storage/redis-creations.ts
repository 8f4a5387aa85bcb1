import { hash } from "node:crypto";
import type { ChainableCommander, Cluster, Redis } from "ioredis";

/** A value to be created under a key of Redis. */
export interface Creation {
  readonly name: string;
  readonly value: string;
  /** What must be there: a key, with this value where one is given. */
  readonly after: { readonly name: string; readonly value: string | undefined } | undefined;
}

/** What the script says of one creation; an error concerns that one alone. */
export type CreationReply = 1 | 0 | 2 | -1 | Error;

/** Creations that one script call makes at the most, and the length of their values together, UTF-16 code units. */
const MOST_TOGETHER = 128;
const MOST_TEXT = 1_000_000;
/** From this many on, half of them are sent early. */
const LEAST_HALVED = 16;

/**
 * Makes creations, each for itself. KEYS: their keys, then for each of them the one it is to follow. ARGV[1]: "again"
 * for a value that is there already to be written once more, so that WAIT has a write to wait for. Then three for each:
 * the value; what is asked of the key to follow ("" nothing, "exists" that it is there, "equals" that its value is the
 * third). The replies, in order: 1 created; 0 something else is there; 2 this very value is there; -1 what is to be
 * followed is not as it must be; an error where the key holds no text. Any other error comes before the first write.
 */
const CREATE = `
local count = #KEYS / 2
local followed = redis.call('MGET', unpack(KEYS, count + 1))
local replies = {}
for i = 1, count do
  local key, value, asked = KEYS[i], ARGV[3 * i - 1], ARGV[3 * i]
  if asked ~= '' and (not followed[i] or (asked == 'equals' and followed[i] ~= ARGV[3 * i + 1])) then
    replies[i] = -1
  elseif redis.call('SETNX', key, value) == 1 then
    replies[i] = 1
  else
    local there = redis.pcall('GET', key)
    if there == value then
      if ARGV[1] == 'again' then redis.call('SET', key, value) end
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
  const input = inputOf(creations, false);
  try {
    return (await client.evalsha(CREATE_DIGEST, ...input)) as CreationReply[];
  } catch (error) {
    // A server that has not seen the script, a new or restarted one, has done nothing.
    if (!(error as Error).message.startsWith("NOSCRIPT")) throw error;
    return (await client.eval(CREATE, ...input)) as CreationReply[];
  }
}

/** The same as a part of a pipeline. @param again writes what is there already once more */
export function queueCreations(
  commands: ChainableCommander,
  creations: readonly Creation[],
  again: boolean,
): ChainableCommander {
  return commands.eval(CREATE, ...inputOf(creations, again));
}

function inputOf(creations: readonly Creation[], again: boolean): [keyCount: number, ...string[]] {
  const names = creations.map(({ name }) => name);
  const followed = creations.map(({ name, after }) => after?.name ?? name);
  const values = creations.flatMap(({ value, after }) => [
    value,
    after === undefined ? "" : after.value === undefined ? "exists" : "equals",
    after?.value ?? "",
  ]);
  return [2 * names.length, ...names, ...followed, again ? "again" : "", ...values];
}

/**
 * Gathers the creations that are asked for before the event loop looks at its sockets again, and makes those of one
 * place together: reading a command, syncing and replying are then done once for all of them, here and in the server.
 * Where many callers ask again and again, half of them are answered while the others prepare: the first as many as half
 * of those that were under way last are sent as soon as they are there.
 *
 * @param make makes some of one place: whether each was created, or what is wrong with it
 */
export function gatherCreations(
  make: (creations: readonly Creation[], place: string) => Promise<(boolean | Error)[]>,
): (creation: Creation, place: string) => Promise<boolean> {
  let waiting = new Map<string, Asked[]>();
  let waitingCount = 0;
  let turnEnds = false;
  let sentCount = 0;
  /** How many are sent at once, before the others of the same turn of the event loop; once a turn. */
  let early = Infinity;
  let sentEarly = false;

  async function send(asked: readonly Asked[], place: string): Promise<void> {
    sentCount += asked.length;
    const creations = asked.map(({ creation }) => creation);
    const outcomes = await make(creations, place).catch((error: unknown) => asked.map(() => error as Error));
    early = sentCount < LEAST_HALVED ? Infinity : Math.ceil(sentCount / 2);
    sentCount -= asked.length;
    for (const [index, { resolve, reject }] of asked.entries()) {
      const outcome = outcomes[index]!;
      if (typeof outcome === "boolean") resolve(outcome);
      else reject(outcome);
    }
  }

  function sendAll(): void {
    const places = waiting;
    waiting = new Map();
    waitingCount = 0;
    for (const [place, asked] of places) {
      for (const together of portionsOf(asked)) void send(together, place);
    }
  }

  function endTurn(): void {
    turnEnds = false;
    sentEarly = false;
    sendAll();
  }

  return (creation, place) =>
    new Promise((resolve, reject) => {
      if (!turnEnds) setImmediate(endTurn);
      turnEnds = true;
      waitingCount++;
      const asked = waiting.get(place);
      if (asked === undefined) waiting.set(place, [{ creation, resolve, reject }]);
      else asked.push({ creation, resolve, reject });
      if (waitingCount < early || sentEarly) return;
      sentEarly = true;
      sendAll();
    });
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
