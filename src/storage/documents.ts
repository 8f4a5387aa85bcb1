import type { z } from "zod";
import type { Key, Storage } from "./storage.ts";
import { EncodedSegment } from "./storage.ts";
import { CorruptionError } from "./errors.ts";

/** A key as a person reads it: `users/alice/profile`. */
export function printKey(key: Key): string {
  return key
    .map((segment) => (segment instanceof EncodedSegment ? segment.text.replaceAll(":", "/") : segment))
    .join("/");
}

/**
 * Reads stored JSON.
 *
 * @returns undefined when `text` is
 * @throws CorruptionError when the text is no JSON or does not match the schema
 */
export function parseDocument<T>(key: Key, text: string | undefined, schema: z.ZodType<T>): T | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CorruptionError(printKey(key), (error as Error).message);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new CorruptionError(printKey(key), `${issue.path.join(".") || "value"}: ${issue.message}`);
}

/** The document under a key, or undefined. */
export async function readDocument<T>(storage: Storage, key: Key, schema: z.ZodType<T>): Promise<T | undefined> {
  return parseDocument(key, await storage.get(key), schema);
}

/** Writes a document as a whole. */
export async function writeDocument(storage: Storage, key: Key, value: object): Promise<void> {
  await storage.put(key, JSON.stringify(value));
}
