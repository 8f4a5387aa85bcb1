import slotOf from "cluster-key-slot";
import { Cluster, type Redis } from "ioredis";
import { ExpectedIdentity, IDENTITY } from "../identity/storage-identity.ts";
import { StorageReplacedError } from "../storage.ts";
import { encodeKey } from "../keys.ts";
import { withinDeadline } from "./redis-errors.ts";
import { redisKey } from "./redis-keys.ts";

const SLOTS = 16_384;
const SLOTS_PER_MARK = 64; // One mark in each range of this many: a primary with twice as many has one.

/** The keys of the identity marks: one, and on a cluster more, spread over its slots; they move with their slots. */
export function markKeys(cluster: boolean): string[] {
  const first = encodeKey(IDENTITY);
  if (!cluster) return [first];
  const spread = new Map<number, string>();
  for (let number = 1; spread.size < SLOTS / SLOTS_PER_MARK; number++) {
    const key = `${first}-${number}`;
    const range = Math.floor(slotOf(key) / SLOTS_PER_MARK);
    if (!spread.has(range)) spread.set(range, key);
  }
  return [first, ...spread.values()];
}

type Place = string; // A primary of a cluster as `host:port`; empty for a single server.

interface IdentityDeps {
  readonly client: Redis | Cluster;
  readonly name: string;
  readonly prefix: string;
  readonly expected: ExpectedIdentity;
  readonly generation: () => number; // Increases each time a server was lost or replaced.
}

/** Checks the identity of the server, or of each primary of a cluster, before the first command on a new connection: a
 * restart closes all connections, so no command reaches a server that came back empty. */
export type RedisIdentity = ReturnType<typeof createRedisIdentity>;

export function createRedisIdentity(deps: IdentityDeps) {
  const { client, prefix, expected, generation } = deps;
  const marks = markKeys(client instanceof Cluster).map((key) => markOf(redisKey(prefix, key)));
  const states = new Map<Place, "present" | StorageReplacedError>();
  const running = new Map<Place, Promise<void>>();
  let known = -1; // The connection's generation when the states were found.
  let returns = 0;
  let turn = 0;

  function stateOf(place: Place): "present" | StorageReplacedError | undefined {
    const now = generation();
    if (now !== known) {
      // A place that was lost stays so until its identity is found, so that its return is counted.
      for (const [one, state] of states) if (state === "present") states.delete(one);
      known = now;
    }
    return states.get(place);
  }

  const placeOf = (domain: string): Place | undefined =>
    client instanceof Cluster ? client.slots[slotOf(`${domain}}`)]?.[0] : "";

  async function check(place: Place): Promise<void> {
    for (;;) {
      stateOf(place);
      const before = known;
      const found = await judge(deps, marks, place, turn++);
      if (generation() !== before) continue; // It is not known which server answered.
      if (found === undefined && states.get(place) instanceof StorageReplacedError) returns++;
      states.set(place, found ?? "present");
      if (found !== undefined) throw found;
      return;
    }
  }

  return {
    expected,
    check,
    generation: () => returns, // How often a place was lost and came back.
    /** Call it before each command: the check to wait for, or undefined. @throws StorageReplacedError */
    admit(domain: string): Promise<void> | undefined {
      if (expected.id === undefined) return undefined;
      const place = placeOf(domain);
      if (place === undefined) return undefined;
      const state = stateOf(place);
      if (state === "present") return undefined;
      if (state !== undefined) throw state;
      const checking = running.get(place) ?? check(place).finally(() => running.delete(place));
      running.set(place, checking);
      return checking;
    },
    /** Call it after each command: its reply must not be used if the place was found to be lost. */
    confirm(domain: string): void {
      const state = states.size === 0 ? undefined : states.get(placeOf(domain) ?? "");
      if (state instanceof StorageReplacedError) throw state;
    },
    places(): Place[] {
      if (!(client instanceof Cluster)) return [""];
      const lists: readonly (readonly Place[] | undefined)[] = client.slots;
      return [...new Set([...new Set(lists)].flatMap((nodes) => nodes?.[0] ?? []))];
    },
    /** Reads the identity of the place that holds a failure domain. @throws StorageReplacedError */
    async verify(domain: string): Promise<void> {
      const place = placeOf(domain);
      if (expected.id !== undefined && place !== undefined) await check(place);
    },
  };
}

type Mark = { readonly name: string; readonly slot: number };
const markOf = (name: string): Mark => ({ name, slot: slotOf(name) });

/** One mark is enough. If it is missing, the place is lost if most marks are: one may have just moved with its slot.
 * @param turn chooses the mark */
async function judge({ client, name, expected }: IdentityDeps, marks: readonly Mark[], place: Place, turn: number) {
  const read = (mark: string): Promise<string | null> => withinDeadline(client, client.get(mark));
  if (!(client instanceof Cluster)) return expected.judge(name, await read(marks[0]!.name));
  const own = marks.filter(({ slot }) => client.slots[slot]?.[0] === place);
  if (own.length === 0) return undefined;
  const error = expected.judge(place, await read(own[turn % own.length]!.name));
  if (error === undefined) return undefined;
  const texts = await Promise.all(own.map((mark) => read(mark.name)));
  const present = texts.filter((text) => expected.judge(place, text) === undefined);
  return present.length > texts.length / 2 ? undefined : error;
}
