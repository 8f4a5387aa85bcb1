import type { RedisConnection } from "./redis-connection.ts";
import { groupByHashTag, domainOf } from "./redis-keys.ts";
import type { RedisSettings } from "./redis-url.ts";

/** Reads Redis keys. */
export class RedisReader {
  readonly #connection: RedisConnection;
  readonly #settings: RedisSettings;

  constructor(connection: RedisConnection, settings: RedisSettings) {
    this.#connection = connection;
    this.#settings = settings;
  }

  async has(name: string): Promise<boolean> {
    const { client } = this.#connection;
    return (await this.#connection.run(() => client.exists(name), { domain: domainOf(this.#settings, name) })) === 1;
  }

  get(name: string): Promise<string | null> {
    const { client } = this.#connection;
    return this.#connection.run(() => client.get(name), { domain: domainOf(this.#settings, name) });
  }

  /** One command for a server, one for each hash tag on a cluster. */
  async getMany(names: readonly string[]): Promise<(string | null)[]> {
    if (!this.#settings.cluster) return this.#getTogether(names);
    const values = new Map<string, string | null>();
    await Promise.all(
      groupByHashTag(names).map(async (group) => {
        const found = await this.#getTogether(group);
        for (const [index, name] of group.entries()) values.set(name, found[index] ?? null);
      }),
    );
    return names.map((name) => values.get(name) ?? null);
  }

  #getTogether(names: readonly string[]): Promise<(string | null)[]> {
    const { client } = this.#connection;
    return this.#connection.run(() => client.mget([...names]), { domain: domainOf(this.#settings, names[0]!) });
  }
}
