import { randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { batchesOf } from "../../runtime/batches.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import { EncodedSegment, type Key, type Storage, StorageReplacedError } from "../storage.ts";

/** Where every storage keeps its identity. */
export const IDENTITY: Key = ["ready", "identity"];

const BATCH = 32; // Marks at once: on a cluster, each is a command that must be answered in time.

const randomId = (): string => randomBytes(16).toString("hex");
type IdentityOptions = { expected: string | undefined; create: boolean; newId?: () => string };

/** Reads the identity of a process's storage: from then on every call is refused while another storage is in its place.
 * With `create`, missing marks are created: on one that is new, of an earlier build, or whose loss this start accepts.
 * @param expected the id in the configuration, if any: then a missing mark or another id is an error
 * @returns the id, and how many marks of it were missing; undefined without an identity, or if none can take its place
 * @throws StorageReplacedError when it does not have the expected id */
export async function identifyStorage(storage: Storage, { expected, create, newId = randomId }: IdentityOptions) {
  const { identity } = storage;
  if (identity === undefined) return undefined;
  let found = await findIdentity(storage, create);
  const missing = found.id === undefined || found.isUnmarked ? 0 : found.missing;
  if (expected !== undefined && (found.id !== expected || missing > 0))
    throw replacedError(storage.url, expected, found.id === expected ? undefined : found.id);
  if (create && (found.missing > 0 || found.isUnmarked)) {
    // The first mark decides between processes that start at the same time.
    await storage.create(IDENTITY, JSON.stringify({ id: found.id ?? newId() }));
    found = await findIdentity(storage, false);
    const document = JSON.stringify({ id: found.id });
    await onMarks(storage, (marks) => Promise.all(marks.map((mark) => storage.create(mark, document))));
    if (found.isUnmarked) await storage.put(IDENTITY, JSON.stringify({ id: found.id, marks: found.marks }));
  } else if (found.isUnmarked) return undefined;
  if (found.id === undefined) return undefined;
  identity.expected.expect(found.id, expected !== undefined);
  return { id: found.id, missing };
}

/** Writes an identity to every mark: the given one, else one found, else a new one. Running processes adopt it. */
export async function acceptStorage(storage: Storage, expected: string | undefined): Promise<string | undefined> {
  const { identity } = storage;
  if (identity === undefined) return undefined;
  const id = expected ?? (await findIdentity(storage, true)).id ?? randomId();
  const document: IdentityDocument = { id, accepted: randomUUID() };
  const text = JSON.stringify(document);
  await onMarks(storage, (marks) => Promise.all(marks.map((mark) => storage.put(mark, text))));
  await storage.put(IDENTITY, JSON.stringify({ ...document, marks: identity.marks.length }));
  return id;
}

/** Reads a storage's identity: its id, the expected number of marks, how many of them are missing or damaged, and
 * whether an earlier build made only one of several.
 * @param all whether to read all marks even if the first one has an id */
export async function findIdentity(storage: Storage, all: boolean) {
  const marks = storage.identity?.marks.length ?? 0;
  const main = parseIdentity(await storage.get(IDENTITY));
  const isUnmarked = main !== undefined && marks > 1 && main.marks === undefined;
  if (main !== undefined && !all) return { id: main.id, missing: 0, marks, isUnmarked };
  const ids = (await onMarks(storage, (keys) => storage.getMany(keys))).map((text) => parseIdentity(text)?.id);
  const id = ids.find((one) => one !== undefined);
  return { id, missing: ids.filter((one) => one === undefined || one !== id).length, marks, isUnmarked };
}

async function onMarks<T>(storage: Storage, call: (keys: readonly Key[]) => Promise<readonly T[]>): Promise<T[]> {
  const results: T[] = [];
  for await (const marks of batchesOf(storage.identity?.marks ?? [], BATCH))
    results.push(...(await call(marks.map((mark) => [new EncodedSegment(mark)]))));
  return results;
}

/** The document in each mark: a random id, created when the storage is first used. */
const identityDocument = z.object({
  id: z.string().min(1),
  marks: z.int().optional(), // Number of marks, in the first one only; absent if an earlier build made only that.
  accepted: z.string().optional(), // Differs after each `anp storage accept`.
});

type IdentityDocument = z.infer<typeof identityDocument>;

/** The identity in a stored text; undefined for none, and for one that is damaged. */
const parseIdentity = (text: string | null | undefined): IdentityDocument | undefined =>
  identityDocument.safeParse(parseJson(text ?? "")).data;

/** The identity that a process expects of its storage, and the check of those that it finds. */
export class ExpectedIdentity {
  #id: string | undefined;
  #isFixed = false;
  readonly #refused = new Map<string, string | undefined>(); // By place: `accepted` of the first wrong identity.

  /** Undefined until {@link expect} is called: until then any storage is accepted. */
  get id(): string | undefined {
    return this.#id;
  }

  /** @param isFixed whether an operator named it, so that no other one can be accepted while this process runs */
  expect(id: string, isFixed: boolean): void {
    this.#id = id;
    this.#isFixed = isFixed;
  }

  /** Checks a place's identity. One that `anp storage accept` writes after a mismatch becomes the expected one.
   * @param place the name in errors: a URL, a folder, a node's address
   * @returns why the place must not be used; undefined when it may be */
  judge(place: string, text: string | null | undefined): StorageReplacedError | undefined {
    if (this.#id === undefined) return undefined;
    const found = parseIdentity(text);
    if (found?.id === this.#id) {
      this.#refused.delete(place);
      return undefined;
    }
    if (!this.#refused.has(place)) this.#refused.set(place, found?.accepted);
    else if (found?.accepted !== undefined && found.accepted !== this.#refused.get(place) && !this.#isFixed) {
      this.#refused.delete(place);
      this.#id = found.id;
      return undefined;
    }
    return replacedError(place, this.#id, found?.id);
  }
}

/** The error for a place that has another identity, or none. */
export function replacedError(place: string, expected: string, found: string | undefined): StorageReplacedError {
  const instead = found === undefined ? "has none: its data are gone, or it is another one" : `has ${found}`;
  return new StorageReplacedError(`The storage at ${place} should have the identity ${expected}, but ${instead}.`);
}
