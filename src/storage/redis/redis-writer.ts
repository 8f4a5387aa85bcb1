import type { ChainableCommander } from "ioredis";
import type { CreateOutcome } from "../storage.ts";
import { CreationBatcher } from "./creation-batcher.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { UncertainError } from "./redis-errors.ts";
import { domainOf } from "./redis-keys.ts";
import { inputOf, outcomeOfReply, type Creation, type CreationReply } from "./redis-scripts.ts";
import type { RedisSettings } from "./redis-url.ts";

/** Writes under Redis keys. With `wait_replicas`, a write is acknowledged once so many replicas have it. */
export class RedisWriter {
  readonly #connection: RedisConnection;
  readonly #settings: RedisSettings;
  readonly #batcher: CreationBatcher;

  constructor(connection: RedisConnection, settings: RedisSettings) {
    this.#connection = connection;
    this.#settings = settings;
    this.#batcher = new CreationBatcher((creations) => this.#createAll(creations));
  }

  async set(name: string, value: string): Promise<void> {
    const { client } = this.#connection;
    await this.#writeOnce(
      name,
      () => client.set(name, value),
      (commands) => commands.set(name, value),
    );
  }

  async remove(name: string): Promise<void> {
    const { client } = this.#connection;
    await this.#writeOnce(
      name,
      () => client.unlink(name),
      (commands) => commands.unlink(name),
    );
  }

  async create(creation: Creation): Promise<CreateOutcome> {
    if (!this.#settings.cluster) return this.#batcher.create(creation);
    // The keys of different users are in different slots; those of one user in a slot that moves can be made one by one.
    const outcome = (await this.#createAll([creation]))[0]!;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  /** Makes a value that was read as safe as an acknowledged one. @throws Error when the key has another value */
  async confirm(name: string, value: string): Promise<void> {
    if (this.#settings.waitReplicas === 0) return;
    const confirmed = await this.#connection.run(
      () => this.#replicated<0 | 1>(name, (commands) => commands.confirmValue(1, name, value)),
      { domain: domainOf(this.#settings, name) },
    );
    if (confirmed !== 1) throw new Error("the key has another value by now");
  }

  /** The keys are in one slot of a cluster. */
  #createAll(creations: readonly Creation[]): Promise<(CreateOutcome | Error)[]> {
    const { name } = creations[0]!;
    const input = inputOf(creations);
    const { client } = this.#connection;
    return this.#connection.run(
      async ({ uncertain }) => {
        const replies = await this.#write<CreationReply[]>(
          name,
          () => client.createValues(...input),
          (commands) => commands.createValues(...input),
        );
        return replies.map((reply) => outcomeOfReply(reply, uncertain));
      },
      { domain: domainOf(this.#settings, name) },
    );
  }

  /** A write that must not be sent twice: another writer may have written in between. */
  async #writeOnce(
    name: string,
    direct: () => Promise<unknown>,
    queue: (commands: ChainableCommander) => ChainableCommander,
  ): Promise<void> {
    const domain = domainOf(this.#settings, name);
    await this.#connection.run(() => this.#write(name, direct, queue), { once: true, domain });
  }

  /** One write: by itself, or in a pipeline with WAIT. */
  #write<T>(
    name: string,
    direct: () => Promise<T>,
    queue: (commands: ChainableCommander) => ChainableCommander,
  ): Promise<T> {
    return this.#settings.waitReplicas > 0 ? this.#replicated(name, queue) : direct();
  }

  async #replicated<T>(name: string, queue: (commands: ChainableCommander) => ChainableCommander): Promise<T> {
    const { waitReplicas, waitMs } = this.#settings;
    const { client } = this.#connection;
    const replies = await queue(client.pipeline()).wait(waitReplicas, waitMs).exec();
    const [[error, reply], [waitError, confirmed]] = replies as [[Error | null, T], [Error | null, number]];
    if (error !== null) {
      // The client follows a moved slot only for single commands: this one makes it learn the key's new node.
      if (/^(MOVED|ASK) /.test(error.message)) await client.exists(name);
      throw error;
    }
    if (waitError !== null) throw new UncertainError(waitError.message);
    if (confirmed < waitReplicas) {
      throw new UncertainError(`${confirmed} of ${waitReplicas} replicas confirmed within ${waitMs} ms`);
    }
    return reply;
  }
}
