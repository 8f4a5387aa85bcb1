import type { z } from "zod";
import { printField, validate } from "../contract/validation/validate-value.ts";
import { parseOrError } from "../runtime/json/parse-json.ts";
import { CorruptionError, EncodedSegment, ifDamaged, isOutage, orError, StorageError } from "./storage.ts";
import type { Key, Storage } from "./storage.ts";

/** A key as a person reads it: `users/alice/profile`. */
export const printKey = (key: Key): string =>
  key.map((segment) => (segment instanceof EncodedSegment ? segment.text.replaceAll(":", "/") : segment)).join("/");

/** Reads stored JSON; undefined for no text. @throws CorruptionError when it is not JSON, or not as the schema says */
export function parseDocument<T>(key: Key, text: string | undefined, schema: z.ZodType<T>): T | undefined {
  const checked = checkDocument(key, text, schema);
  if (checked instanceof StorageError) throw checked;
  return checked;
}

/** The same with the error as a result, for one of the values that {@link readEach} reads. */
export function checkDocument<T, E extends StorageError = never>(
  key: Key,
  text: string | undefined | E,
  schema: z.ZodType<T>,
): T | undefined | E | CorruptionError {
  if (typeof text !== "string") return text;
  const value = parseOrError(text);
  if (value instanceof Error) return new CorruptionError(printKey(key), value.message);
  const checked = validate(schema, value);
  return checked.valid ? checked.data : new CorruptionError(printKey(key), printField(checked.errors[0]!));
}

/** The document under a key, or undefined. */
export async function readDocument<T>(storage: Pick<Storage, "get">, key: Key, schema: z.ZodType<T>) {
  return parseDocument(key, await storage.get(key), schema);
}

/** The same; where there is none, it is made sure that the storage is the right one: an empty one knows nobody. */
export async function readPresent<T>(storage: Documents, key: Key, schema: z.ZodType<T>): Promise<T | undefined> {
  const found = await readDocument(storage, key, schema);
  if (found === undefined) await storage.verify(key);
  return found;
}

/** The documents under these keys that are there, in the order asked for. */
export async function readDocuments<T>(storage: Documents, keys: readonly Key[], schema: z.ZodType<T>, skip?: Skip) {
  const texts = await readOrDamage(storage, keys);
  return keys.flatMap((key, index): T[] => {
    const document = checkDocument(key, texts[index], schema);
    if (!(document instanceof CorruptionError)) return document === undefined ? [] : [document];
    if (skip === undefined) throw document;
    return skip(document);
  });
}

/** Writes a document as a whole. */
export async function writeDocument(storage: Pick<Storage, "put">, key: Key, value: object): Promise<void> {
  await storage.put(key, JSON.stringify(value));
}

/** Each key's value or its damage: one does not hide another. */
export function readOrDamage(storage: Documents, keys: readonly Key[]) {
  const one = (key: Key) => ifDamaged(storage.get(key), (damage) => damage);
  return ifDamaged(storage.getMany(keys), () => Promise.all(keys.map(one)));
}

/** Each key's value or its error: none hides another. @throws StorageError when the storage does not answer */
export async function readEach(storage: Storage, keys: readonly Key[]): Promise<(string | undefined | StorageError)[]> {
  const together = await orError(storage.getMany(keys));
  if (!(together instanceof StorageError)) return together;
  if (isOutage(together)) await probe(storage);
  return Promise.all(keys.map((key) => orError(storage.get(key))));
}

/** @throws StorageError when the storage does not answer */
export async function probe(storage: Storage): Promise<void> {
  await storage.get(["ready", "probe"]);
}

/** The part of a storage that documents need. */
export type Documents = Pick<Storage, "verify" | "get" | "getMany" | "create" | "put" | "children">;
/** Is called with what is damaged, which is left out; a read without it fails there. */
export type Skip = (damage: CorruptionError) => [];

/** The documents below a segment: their keys begin with it. */
export function documentsBelow(storage: Storage, segment: string): Documents {
  const at = (key: Key): Key => [segment, ...key];
  return {
    verify: (key) => storage.verify(at(key)),
    get: (key) => storage.get(at(key)),
    getMany: (keys) => storage.getMany(keys.map(at)),
    create: (key, value) => storage.create(at(key), value),
    put: (key, value) => storage.put(at(key), value),
    children: (prefix) => storage.children(at(prefix)),
  };
}
