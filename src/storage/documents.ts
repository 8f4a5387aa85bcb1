import type { z } from "zod";
import { printField, validate } from "../contract/validation/validate-value.ts";
import { parseOrError } from "../runtime/json/parse-json.ts";
import { CorruptionError, EncodedSegment, catchDamage, isOutage, resultOrError, StorageError } from "./storage.ts";
import type { Key, Storage } from "./storage.ts";

/** The readable form of a key: `users/alice/profile`. */
export const printKey = (key: Key): string =>
  key.map((segment) => (segment instanceof EncodedSegment ? segment.text.replaceAll(":", "/") : segment)).join("/");

/** Reads stored JSON; undefined for no text. @throws CorruptionError when it is not JSON, or not valid */
export function parseDocument<T>(key: Key, text: string | undefined, schema: z.ZodType<T>): T | undefined {
  const checked = checkDocument(key, text, schema);
  if (checked instanceof StorageError) throw checked;
  return checked;
}

type Text<E> = string | undefined | E;

/** As {@link parseDocument}, but returns the error, also that of a value that {@link readEach} could not read. */
export function checkDocument<T, E extends StorageError = never>(key: Key, text: Text<E>, schema: z.ZodType<T>) {
  if (typeof text !== "string") return text;
  const value = parseOrError(text);
  if (value instanceof Error) return new CorruptionError(printKey(key), value.message);
  const checked = validate(schema, value);
  return checked.valid ? checked.data : new CorruptionError(printKey(key), printField(checked.errors[0]!));
}

export async function readDocument<T>(storage: Pick<Storage, "get">, key: Key, schema: z.ZodType<T>) {
  return parseDocument(key, await storage.get(key), schema);
}

/** The result of a read; if there is none, it verifies that the storage was not replaced or emptied. */
export async function verified<T>(storage: Documents, key: Key, reading: Promise<T | undefined>) {
  const found = await reading;
  if (found === undefined) await storage.verify(key);
  return found;
}

/** The existing documents under these keys, in the given order. */
export async function readDocuments<T>(storage: Documents, keys: readonly Key[], schema: z.ZodType<T>): Promise<T[]> {
  const texts = await storage.getMany(keys);
  const found = keys.map((key, index) => parseDocument(key, texts[index], schema));
  return found.filter((document) => document !== undefined);
}

export async function writeDocument(storage: Pick<Storage, "put">, key: Key, value: object): Promise<void> {
  await storage.put(key, JSON.stringify(value));
}

/** Each key's value or its CorruptionError: a damaged value does not hide the others. */
export function readOrDamage(storage: Documents, keys: readonly Key[]) {
  const one = (key: Key) => catchDamage(storage.get(key), (damage) => damage);
  return catchDamage(storage.getMany(keys), () => Promise.all(keys.map(one)));
}

/** Each key's value or its error: none hides the others. @throws StorageError when the storage does not answer */
export async function readEach(storage: Storage, keys: readonly Key[]): Promise<(string | undefined | StorageError)[]> {
  const together = await resultOrError(storage.getMany(keys));
  if (!(together instanceof StorageError)) return together;
  if (isOutage(together)) await probe(storage);
  return Promise.all(keys.map((key) => resultOrError(storage.get(key))));
}

/** @throws StorageError when the storage does not answer */
export async function probe(storage: Storage): Promise<void> {
  await storage.get(["ready", "probe"]);
}

/** The part of a storage that documents need. */
export type Documents = Pick<Storage, "verify" | "get" | "getMany" | "create" | "put" | "children">;
/** Called with the error of each damaged value, which is skipped; without it, the read throws that error. */
export type Skip = (damage: CorruptionError) => [];

/** A view of the storage that puts a segment before every key. */
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
