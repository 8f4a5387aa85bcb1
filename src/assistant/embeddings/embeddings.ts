import { setTimeout as delay } from "node:timers/promises";
import type { JobRunner } from "../../compute/job-runner.ts";
import type { EmbeddingsConfig } from "../../config/model-config.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Random } from "../../runtime/random.ts";
import { readEach } from "../../storage/documents.ts";
import { encodeKey } from "../../storage/keys.ts";
import type { Key, Storage } from "../../storage/storage.ts";
import type { IndexedContent } from "../indexed-content.ts";
import type { AssistantJobs } from "../jobs/assistant-jobs.ts";
import { createEmbeddingsClient, type ClientDeps } from "./embeddings-client.ts";
import { readVectors } from "./read-vectors.ts";

/** Intervals of the checks for changed content and for unneeded vectors, and the wait after an error, ms. */
const EVERY = { look_ms: 1000, sweep_ms: 12 * 3600 * 1000, retry_ms: 30_000 };
export type Embeddings = ReturnType<typeof createEmbeddings>;
/** The content that has vectors, and the jobs on it. */
export type EmbeddedContent = { readonly content: IndexedContent; readonly runner: JobRunner<AssistantJobs> };
type EmbeddingsDeps = EmbeddedContent & ClientDeps & { storage: Storage; clock: Clock; random: Random };

/** The vectors of questions and articles. Article vectors are stored per model, by the hash of their text, so that daemons
 * share them on one storage and a restart does not compute them again. */
export function createEmbeddings(config: EmbeddingsConfig, deps: EmbeddingsDeps) {
  const { content, runner, storage, logger } = deps;
  const client = createEmbeddingsClient(config, deps);
  const { model, dimensions, body, passage_prefix: prefix, question_prefix, batch_size, passage_size: size } = config;
  const space = JSON.stringify({ model, dimensions, prefix, body });
  const keyOf = (hash: string): Key => ["vectors", space, hash];
  const sweep = createSweep(keyOf, deps);
  const from = deps.random.bytes(1)[0]! / 256;
  let most = batch_size; // Texts of the next call: 1 after a refusal, then doubled with each success.
  let made: [hash: string, vector: Int8Array | null][] = []; // Vectors that the index does not have yet.
  let counts = { waiting: 0, all: 0 };

  /** Gets the vectors of some articles without one, from the storage or by one call.
   * @returns the wait before the next step, ms @throws StorageError, JobError, the signal's reason */
  async function step(signal?: AbortSignal): Promise<number> {
    const wanted = { vectors: made, most, from, size };
    const { texts, ...counted } = await content.on((index) => runner.run("embed", { index, ...wanted }));
    counts = counted;
    made = [];
    if (texts.length === 0) return sweep().then(() => EVERY.look_ms);
    const keys = texts.map(([hash]) => keyOf(hash));
    const stored = (await readEach(storage, keys)).map(toVector);
    for (const [at, [hash]] of texts.entries()) if (stored[at]?.length) made.push([hash, stored[at]]);
    const absent = texts.filter((_, at) => !stored[at]?.length);
    if (absent.length === 0) return 0;
    const input = absent.map(([, text]) => prefix + text);
    const found = await client.embed("passages", input, (reply) => runner.run("readVectors", reply), signal);
    if (found === undefined) most = 1;
    else if (Array.isArray(found)) most = Math.min(batch_size, 2 * most);
    if (found === undefined && absent.length === 1) made.push([absent[0]![0], null]);
    const vectors = Array.isArray(found) ? found : [];
    for (const [at, vector] of vectors.entries()) made.push([absent[at]![0], vector]);
    await Promise.all(vectors.map((vector, at) => storage.put(keyOf(absent[at]![0]), toText(vector))));
    return client.wait_ms();
  }

  return {
    step,
    /** Number of articles that may have vectors and that wait for them; whether the circuit breaker is open. */
    state: () => ({ ...counts, isOpen: client.isOpen() }),
    /** The vector of a question; undefined if it is not available in time, or before any article has one. */
    async question(question: string): Promise<Int8Array | undefined> {
      const isIdle = counts.waiting === counts.all || client.isBusy();
      const found = isIdle || (await client.embed("question", [question_prefix + question], readVectors));
      return Array.isArray(found) ? found[0] : undefined;
    },
    /** Keeps the vectors up to date until the signal aborts. @param ready waits until the newest content is indexed */
    async run(signal: AbortSignal, ready: () => Promise<unknown>): Promise<void> {
      while (!signal.aborted) {
        const next = ready().then(() => step(signal));
        const wait = await next.catch((error: unknown) => {
          if (!signal.aborted) logger.warn({ err: error }, "The vectors of articles could not be kept up");
          return EVERY.retry_ms;
        });
        await delay(wait, undefined, { signal, ref: false }).catch(() => undefined);
      }
    },
  };
}

const toText = (vector: Int8Array): string => Buffer.from(vector).toString("base64");
const toVector = (text: unknown) =>
  typeof text === "string" ? Int8Array.from(Buffer.from(text, "base64")) : undefined;

/** Removes, at intervals, vectors that two successive sweeps found unneeded: of removed articles, or of other models. */
function createSweep(keyOf: (hash: string) => Key, { content, runner, storage, clock }: EmbeddingsDeps) {
  let [unneeded, due] = [new Set<string>(), -Infinity];
  return async (): Promise<void> => {
    if (clock.now() < due) return;
    due = clock.now() + EVERY.sweep_ms;
    const hashes = await content.on((index) => runner.run("renewVectors", { index }));
    const needed = new Set(hashes.map((hash) => encodeKey(keyOf(hash))));
    const before = unneeded;
    unneeded = new Set();
    for await (const key of storage.keys(["vectors"])) {
      const name = encodeKey(key);
      if (!needed.has(name)) await (before.has(name) ? storage.remove(key) : unneeded.add(name));
    }
  };
}
