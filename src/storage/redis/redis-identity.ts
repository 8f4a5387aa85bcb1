import slotOf from "cluster-key-slot";
import { Cluster, type Redis } from "ioredis";
import { ExpectedIdentity, IDENTITY } from "../identity/storage-identity.ts";
import { StorageReplacedError } from "../storage.ts";
import { encodeKey } from "../keys.ts";
import { withinDeadline } from "./redis-errors.ts";
import { redisKey } from "./redis-keys.ts";

const SLOTS = 16_384;
const SLOTS_PER_MARK = 64; // Each range of twice as many slots has a mark, so every primary that has so many.

/** The keys that bear the identity: one, and on a cluster more, spread over its slots; they move with their slots. */
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

type Place = string; // A server, or a primary of a cluster as `host:port`; the empty text for the one server.

interface IdentityDeps {
  readonly client: Redis | Cluster;
  readonly name: string;
  readonly prefix: string;
  readonly expected: ExpectedIdentity;
  readonly generation: () => number; // Rises each time a server was lost or another one took its place.
}

/** Checks the identity of the server, or of each primary of a cluster, before the first command that follows a
 * connection: a server that restarts loses its connections, so no command reaches one that came back empty. */
export class RedisIdentity {
  readonly expected: ExpectedIdentity;
  readonly #deps: IdentityDeps;
  readonly #marks: readonly { readonly name: string; readonly slot: number }[];
  readonly #states = new Map<Place, "present" | StorageReplacedError>();
  readonly #running = new Map<Place, Promise<void>>();
  #generation = -1; // Of the connection, when the states were found.
  #returns = 0;
  #turn = 0;

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
    this.expected = deps.expected;
    this.#marks = markKeys(deps.client instanceof Cluster).map((key) => {
      const name = redisKey(deps.prefix, key);
      return { name, slot: slotOf(name) };
    });
  }

  /** How often a place was lost and came back. */
  generation(): number {
    return this.#returns;
  }

  /** Before each command: what to wait for; undefined when the domain's place is known. @throws StorageReplacedError */
  admit(domain: string): Promise<void> | undefined {
    if (this.expected.id === undefined) return undefined;
    const place = this.#placeOf(domain);
    if (place === undefined) return undefined;
    const state = this.#stateOf(place);
    if (state === "present") return undefined;
    if (state !== undefined) throw state;
    const running = this.#running.get(place) ?? this.look(place).finally(() => this.#running.delete(place));
    this.#running.set(place, running);
    return running;
  }

  /** To be called after each command: what was answered before the loss was noticed may not count. */
  confirm(domain: string): void {
    const state = this.#states.size === 0 ? undefined : this.#states.get(this.#placeOf(domain) ?? "");
    if (state instanceof StorageReplacedError) throw state;
  }

  places(): Place[] {
    const { client } = this.#deps;
    if (!(client instanceof Cluster)) return [""];
    const lists: readonly (readonly Place[] | undefined)[] = client.slots;
    return [...new Set([...new Set(lists)].flatMap((nodes) => nodes?.[0] ?? []))];
  }

  /** Reads the identity of the place that holds a failure domain. @throws StorageReplacedError */
  async verify(domain: string): Promise<void> {
    const place = this.#placeOf(domain);
    if (this.expected.id !== undefined && place !== undefined) await this.look(place);
  }

  async look(place: Place): Promise<void> {
    for (;;) {
      this.#stateOf(place);
      const generation = this.#generation;
      const found = await this.#judge(place);
      if (this.#deps.generation() !== generation) continue; // Whose answer it was is not known.
      if (found === undefined && this.#states.get(place) instanceof StorageReplacedError) this.#returns++;
      this.#states.set(place, found ?? "present");
      if (found !== undefined) throw found;
      return;
    }
  }

  #stateOf(place: Place): "present" | StorageReplacedError | undefined {
    const generation = this.#deps.generation();
    if (generation !== this.#generation) {
      // A place that was lost stays so until its identity is found, so that its return is counted.
      for (const [known, state] of this.#states) if (state === "present") this.#states.delete(known);
      this.#generation = generation;
    }
    return this.#states.get(place);
  }

  #placeOf(domain: string): Place | undefined {
    const { client } = this.#deps;
    if (!(client instanceof Cluster)) return "";
    return client.slots[slotOf(`${domain}}`)]?.[0];
  }

  /** One mark is enough. Without it, the place is lost if most are missing: one may have moved with its slot just now. */
  async #judge(place: Place): Promise<StorageReplacedError | undefined> {
    const { client } = this.#deps;
    const read = (name: string): Promise<string | null> => withinDeadline(client, client.get(name));
    if (!(client instanceof Cluster)) return this.expected.judge(this.#deps.name, await read(this.#marks[0]!.name));
    const own = this.#marks.filter(({ slot }) => client.slots[slot]?.[0] === place);
    if (own.length === 0) return undefined;
    this.#turn += 1;
    const error = this.expected.judge(place, await read(own[this.#turn % own.length]!.name));
    if (error === undefined) return undefined;
    const texts = await Promise.all(own.map(({ name }) => read(name)));
    const present = texts.filter((text) => this.expected.judge(place, text) === undefined);
    return present.length > texts.length / 2 ? undefined : error;
  }
}
