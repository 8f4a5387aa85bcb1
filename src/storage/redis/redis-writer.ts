import type { Redis } from "ioredis";
import type { AppendItemOutcome } from "../driver.ts";
import type { AppendOptions, CreateOutcome } from "../storage.ts";
import { encodedItem } from "../keys.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { UncertainError } from "./redis-errors.ts";
import { redisKey } from "./redis-keys.ts";
import { inputOf, type Creation } from "./redis-options.ts";
import type { RedisSettings } from "./redis-url.ts";

type Commands = Pick<Redis, "set" | "unlink" | "createValues">;

/** Writes under Redis keys. With `wait_replicas`, a write is acknowledged once that many replicas have it. */
export function createRedisWriter(connection: RedisConnection, settings: RedisSettings) {
  const { client } = connection;
  const { waitReplicas, waitMs } = settings;
  const nameOf = (key: string): string => redisKey(settings.prefix, key);
  const batcher = createCreationBatcher(createAll);

  async function write<T>(name: string, command: (commands: Commands) => Promise<T>): Promise<T> {
    if (waitReplicas === 0) return command(client);
    const pipeline = client.pipeline();
    // A command of a pipeline has the same parameters, and its reply comes with those of the others.
    void command(pipeline as unknown as Commands);
    const replies = await pipeline.wait(waitReplicas, waitMs).exec();
    const [[error, reply], [waitError, confirmed]] = replies as [[Error | null, T], [Error | null, number]];
    if (error !== null) {
      // The client follows a moved slot only for single commands: this one makes it learn the key's new node.
      if (/^(MOVED|ASK) /.test(error.message)) await client.exists(name);
      throw error;
    }
    if (waitError !== null) throw new UncertainError(waitError.message);
    if (confirmed < waitReplicas)
      throw new UncertainError(`${confirmed} of ${waitReplicas} replicas confirmed within ${waitMs} ms`);
    return reply;
  }

  /** A write that must not be retried: another writer may have written in between. */
  async function writeOnce(name: string, command: (commands: Commands) => Promise<unknown>): Promise<void> {
    await connection.runOn(name, () => write(name, command), true);
  }

  /** On a cluster, all keys must be in one slot. */
  function createAll(creations: readonly Creation[]): Promise<(AppendItemOutcome | Error)[]> {
    const { name } = creations[0]!;
    const input = inputOf(creations);
    return connection.runOn(name, async ({ uncertain }) => {
      const replies = await write(name, (commands) => commands.createValues(...input));
      // An earlier try of ours may have been applied: then the same value is ours.
      return replies.map((reply) => (reply === "same" ? (uncertain ? "created" : "conflict") : reply));
    });
  }

  async function create(creation: Creation): Promise<AppendItemOutcome> {
    if (!settings.cluster) return batcher(creation);
    // No batches: users are in different slots, and a slot that is being moved takes only single creations.
    const outcome = (await createAll([creation]))[0]!;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  return {
    set: (name: string, value: string) => writeOnce(name, (commands) => commands.set(name, value)),
    remove: (name: string) => writeOnce(name, (commands) => commands.unlink(name)),
    /** The outcome `hole` exists only for items of a stream. */
    create: async (creation: Omit<Creation, "head">) => (await create(creation)) as CreateOutcome,
    append: (stem: string, version: number, value: string, { previous, first, later }: AppendOptions<string>) =>
      create({
        name: nameOf(encodedItem(stem, version)),
        value,
        predecessor: version === 1 ? undefined : { name: nameOf(encodedItem(stem, version - 1)), value: previous },
        head: { name: nameOf(`${stem}:head`), version },
        first: first && { name: nameOf(first.key), value: first.value },
        later,
      }),
    /** Makes a value durable that was read. @throws Error when the key has another value */
    async confirm(name: string, value: string): Promise<void> {
      if (waitReplicas === 0) return;
      // The key is its own predecessor: the same value is written once more, or nothing.
      const input = inputOf([{ name, value, predecessor: { name, value } }]);
      const [reply] = await connection.runOn(name, () => write(name, (commands) => commands.createValues(...input)));
      if (reply !== "same") throw new Error("the key has another value by now");
    },
  };
}

/** The most creations of one script call, and the most text of their values, in UTF-16 code units. */
const MAX_CREATIONS = 128;
const MAX_TEXT = 1_000_000;
const HELD_MS = 4; // How long a creation with `later` is held for others, ms: one script call is one sync.
const MIN_IN_FLIGHT = 16; // With fewer in flight than this, nothing is sent early.

type Request = { creation: Creation; resolve: (outcome: AppendItemOutcome) => void; reject: (error: Error) => void };

/** Batches the creations of one turn of the event loop: reading a command, syncing and replying then happen once a
 * batch, here and in the server. With 200 callers this halves the CPU time of a creation. When many callers loop, one
 * half is answered while the other prepares: a batch is sent early once it is half as large as the last in flight.
 * @param createAll makes several creations at once: the outcome of each, or its error */
function createCreationBatcher(createAll: (creations: readonly Creation[]) => Promise<(AppendItemOutcome | Error)[]>) {
  let waiting: Request[] = [];
  let waitingText = 0;
  let inFlight = 0;
  let earlySize = Infinity; // A batch of this size is sent without waiting for the end of the turn; once per turn.
  let turn: "begun" | "sent early" | undefined;
  let held: NodeJS.Timeout | undefined;

  async function send(batch: readonly Request[]): Promise<void> {
    inFlight += batch.length;
    const outcomes = await createAll(batch.map(({ creation }) => creation)).catch((error: unknown) =>
      batch.map(() => error as Error),
    );
    earlySize = inFlight < MIN_IN_FLIGHT ? Infinity : Math.ceil(inFlight / 2);
    inFlight -= batch.length;
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index]!;
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }
  }

  function sendWaiting(): void {
    if (waiting.length > 0) void send(waiting);
    waiting = [];
    waitingText = 0;
    clearTimeout(held);
    held = undefined;
  }

  function endTurn(): void {
    turn = undefined;
    sendWaiting();
  }

  return (creation: Creation): Promise<AppendItemOutcome> =>
    new Promise((resolve, reject) => {
      const length = creation.value.length + (creation.first?.value.length ?? 0);
      if (waiting.length === MAX_CREATIONS || waitingText + length > MAX_TEXT) sendWaiting();
      waiting.push({ creation, resolve, reject });
      waitingText += length;
      if (creation.later === true) held ??= setTimeout(sendWaiting, HELD_MS);
      else if (turn === undefined) setImmediate(endTurn);
      if (creation.later !== true) turn ??= "begun";
      if (waiting.length < earlySize || turn !== "begun") return;
      turn = "sent early";
      sendWaiting();
    });
}
