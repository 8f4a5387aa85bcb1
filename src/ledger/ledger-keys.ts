import { z } from "zod";
import { encodeKey } from "../storage/keys.ts";
import { EncodedSegment, type Key } from "../storage/storage.ts";
import { itemKey } from "../storage/stream-keys.ts";

/** Where a user's ledger is stored. */
export function ledgerKey(user: string | EncodedSegment): Key {
  return ["users", user, "ledger"];
}

/** Where an entry of a user's ledger is stored. */
export function entryKey(user: string | EncodedSegment, number: number): Key {
  return itemKey(new EncodedSegment(encodeKey(ledgerKey(user))), number);
}

/** Where the number of an operation's entry is stored. */
export function operationKey(user: string | EncodedSegment, operation: string): Key {
  return ["users", user, "operations", operation];
}

/** The index from an operation id to the number of its entry. */
export const operationPointer: z.ZodType<{ entry: number }> = z.strictObject({ entry: z.int().min(1) });
