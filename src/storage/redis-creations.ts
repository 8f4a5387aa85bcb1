import { hash } from "node:crypto";
import type { ChainableCommander, Cluster, Redis } from "ioredis";

/** A value to be created under a key of Redis. */
export interface Creation {
  readonly name: string;
  readonly value: string;
  /** What must be there: a key, with this value where one is given. */
  readonly after: { readonly name: string; readonly value: string | undefined } | undefined;
}

/** Creations that one script call makes at the most, and the length of their values together, UTF-16 code units. */
const MOST_TOGETHER = 128;
const MOST_TEXT = 1_000_000;

/**
 * Makes creations, each for itself: KEYS holds a key and the one it is to follow for each of them, ARGV[1] is "again"
 * for values that are there already to be written again, so that WAIT has a write to wait for; then come three for each:
 * the value; what is asked of the other key ("" nothing, "exists" that it is there, "equals" that the SHA-1 of its value
 * is the third); the SHA-1. The replies, in order: 1 created; 0 something else is there; 2 this very value is there; -1
 * the other key is not as it must be; an error where a key holds no text. Any other error is one of the first write, so
 * nothing was made.
 */
const CREATE = `
local function create(key, value, before, asked, digest)
  if asked ~= '' then
    local found = redis.pcall('GET', before)
    if type(found) == 'table' then return found end
    if not found or (asked == 'equals' and redis.sha1hex(found) ~= digest) then return -1 end
  end
  if redis.call('SET', key, value, 'NX') then return 1 end
  local there = redis.pcall('GET', key)
  if type(there) == 'table' then return there end
  if there ~= value then return 0 end
  if ARGV[1] == 'again' then redis.call('SET', key, value) end
  return 2
end
local replies = {}
for i = 1, #KEYS / 2 do
  replies[i] = create(KEYS[2 * i - 1], ARGV[3 * i - 1], KEYS[2 * i], ARGV[3 * i], ARGV[3 * i + 1])
end
return replies`;
const CREATE_DIGEST = sha1(CREATE);

/** What the script says of one creation; an error concerns that one alone. */
export type CreationReply = 1 | 0 | 2 | -1 | Error;

/** The creations as arguments of EVAL, after the script. @param again see the script */
function argumentsOf(creations: readonly Creation[], again: boolean): [keyCount: number, ...string[]] {
  const keys: string[] = [];
  const values: string[] = [again ? "again" : ""];
  for (const { name, value, after } of creations) {
    keys.push(name, after?.name ?? name);
    if (after === undefined) values.push(value, "", "");
    else if (after.value === undefined) values.push(value, "exists", "");
    else values.push(value, "equals", sha1(after.value));
  }
  return [keys.length, ...keys, ...values];
}

/** Makes the creations, whose keys are in one slot of a cluster, by one command. */
export async function runCreations(client: Redis | Cluster, creations: readonly Creation[]): Promise<CreationReply[]> {
  const input = argumentsOf(creations, false);
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
  return commands.eval(CREATE, ...argumentsOf(creations, again));
}

/**
 * Gathers the creations that are asked for before the event loop looks at its sockets again, and makes those of one
 * place together: reading a command, syncing and replying are then done once for all of them, here and in the server.
 *
 * @param make makes some of one place: whether each was created, or what is wrong with it
 */
export function gatherCreations(
  make: (creations: readonly Creation[], place: string) => Promise<(boolean | Error)[]>,
): (creation: Creation, place: string) => Promise<boolean> {
  let waiting = new Map<string, Asked[]>();

  async function send(asked: readonly Asked[], place: string): Promise<void> {
    try {
      const found = await make(
        asked.map(({ creation }) => creation),
        place,
      );
      for (const [index, { resolve, reject }] of asked.entries()) {
        const outcome = found[index]!;
        if (typeof outcome === "boolean") resolve(outcome);
        else reject(outcome);
      }
    } catch (error) {
      for (const { reject } of asked) reject(error as Error);
    }
  }

  function sendAll(): void {
    const places = waiting;
    waiting = new Map();
    for (const [place, asked] of places) {
      let from = 0;
      let text = 0;
      for (const [index, { creation }] of asked.entries()) {
        if (index - from === MOST_TOGETHER || (index > from && text + creation.value.length > MOST_TEXT)) {
          void send(asked.slice(from, index), place);
          from = index;
          text = 0;
        }
        text += creation.value.length;
      }
      void send(asked.slice(from), place);
    }
  }

  return (creation, place) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) setImmediate(sendAll);
      const asked = waiting.get(place);
      if (asked === undefined) waiting.set(place, [{ creation, resolve, reject }]);
      else asked.push({ creation, resolve, reject });
    });
}

interface Asked {
  readonly creation: Creation;
  readonly resolve: (created: boolean) => void;
  readonly reject: (error: Error) => void;
}

function sha1(text: string): string {
  return hash("sha1", text);
}
