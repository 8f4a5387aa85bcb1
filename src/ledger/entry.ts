import { z } from "zod";
import { entryType } from "../contract/schemas/points-schemas.ts";
import { canonicalJson, sha256 } from "../runtime/json/canonical-json.ts";
import { encodeKey, itemKey } from "../storage/keys.ts";
import { EncodedSegment, type Key } from "../storage/storage.ts";

const points = z.int().min(0);
/** A SHA-256 in hex. */
export const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** A user's account after one entry of the ledger. All figures are points, except the free uses of a day. */
const account = z.strictObject({
  balance: points,
  total_earned: points,
  total_spent: points,
  free_day: z.string().regex(/^(\d{4}-\d\d-\d\d)?$/), // Quota day of the last free use; empty before the first.
  free_used: points, // Free uses of that day.
});

export type Account = z.infer<typeof account>;
/** The account of a user whose ledger is empty. */
export const EMPTY_ACCOUNT: Account = { balance: 0, total_earned: 0, total_spent: 0, free_day: "", free_used: 0 };

const details = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("chat_cost"),
    message_id: z.int(),
    session_id: z.int(),
    route: z.string(),
    sub_intent: z.string(),
    free: z.boolean(), // Whether a free use paid for the answer.
  }),
  z.strictObject({ type: z.literal("exchange"), token_amount: z.number(), exchange_rate: z.int() }),
  z.strictObject({ type: z.literal("trade_reward"), trade_type: z.enum(["spot", "futures"]), volume_usd: z.number() }),
  z.strictObject({
    type: z.literal("adjust"),
    reason: z.string(),
    actor: z.string(),
    reverses: z.int().min(1).optional(), // Number of the entry that it reverses.
  }),
]);

/** The fields that belong to an entry's type. */
export type EntryDetails = z.infer<typeof details>;

/** One entry of a user's ledger, as it is stored: written once, never changed. */
export const entry = z.strictObject({
  id: z.int().min(1), // Its number in the user's ledger: 1, 2, 3 …
  user_id: z.string(),
  type: entryType,
  delta: z.int(),
  description: z.string(),
  ref_id: z.string(),
  created_at: z.iso.datetime(),
  operation: z.strictObject({
    id: z.string(),
    request: digest, // SHA-256 of the request, to detect an id that is reused for another request.
    repeatable: z.boolean(), // Whether a client gave the id and may retry with it; only then is it indexed.
  }),
  details,
  account,
  prev: digest, // `hash` of the entry before; of the first entry, `genesisHash`.
  hash: digest, // SHA-256 of the canonical JSON of all other fields.
});

export type Entry = z.infer<typeof entry>;
/** The start of the hash chain of a user's ledger. */
export const genesisHash = (user: string): string => sha256(`anp ledger of ${user}`);
/** The hash that an entry with these fields must have. */
export const hashEntry = (fields: object): string => sha256(canonicalJson(fields));
export const ledgerKey = (user: string | EncodedSegment): Key => ["users", user, "ledger"];

export const entryKey = (user: string | EncodedSegment, number: number): Key =>
  itemKey(new EncodedSegment(encodeKey(ledgerKey(user))), number);

/** Where the number of an operation's entry is stored. */
export const operationKey = (user: string | EncodedSegment, id: string): Key => ["users", user, "operations", id];

/** The index from an operation id to the number of its entry. */
export const operationPointer: z.ZodType<{ entry: number }> = z.strictObject({ entry: z.int().min(1) });
