import type { z } from "zod";
import { storedSubscription } from "../accounts/subscriptions.ts";
import { userProfile, type UserProfile } from "../accounts/users.ts";
import { tokenRecord } from "../accounts/tokens.ts";
import { tokenCount } from "../assistant/model/token-budgets.ts";
import { message, messageKey, prunedBefore } from "../assistant/sessions/messages.ts";
import { sessionTurn } from "../assistant/sessions/sessions.ts";
import { batch } from "../events/event.ts";
import { entry } from "../ledger/entry.ts";
import { batchesOf } from "../runtime/batches.ts";
import { checkDocument, printKey, readEach } from "../storage/documents.ts";
import { encodeKey, encodeSegment, itemKey, missingItem, streamItem } from "../storage/keys.ts";
import { CorruptionError, EncodedSegment, type Storage } from "../storage/storage.ts";
import { auditEntry } from "./audit-log.ts";

/** A value that is damaged or missing, and is not an entry of a ledger. */
export interface DamagedValue {
  readonly user: string | undefined; // Whose it is, encoded; undefined for what belongs to no user.
  readonly message: string; // Names the key.
  readonly isErasure?: boolean | undefined; // Of the user was cut off: that comes before whatever else is found.
}

type StoredKey = readonly EncodedSegment[];
type StoredText = { readonly key: StoredKey; readonly text: string };

/** Reads what `verifyLedgers` does not: subscriptions, sessions, the messages of charged answers, and of all users the
 * tokens and the events. One pass over the keys, in flat memory.
 * @param user whose values to read; everybody's, and those of nobody, by default
 * @param onKeys called with how many keys have been looked at
 * @throws StorageError when the storage does not answer */
export async function* findDamagedValues(storage: Storage, user?: string, onKeys?: (count: number) => void) {
  let count = 0;
  for await (const keys of batchesOf(storage.keys(user === undefined ? [] : ["users", user]), 256)) {
    onKeys?.((count += keys.length));
    const looked = keys.filter((key) => schemaOf(key) !== undefined || isHead(key));
    for await (const [key, { message, isErasure }] of checkAll(storage, looked))
      yield { user: ownerOf(key), message, isErasure } satisfies DamagedValue;
  }
}

function schemaOf(key: StoredKey): z.ZodType | undefined {
  const [room, owner, kind] = key.map(({ text }) => text);
  const isItem = streamItem(key) !== undefined;
  if (room === "tokens" || (room === "operators" && owner === "tokens")) return tokenRecord;
  if (room === "events" && isItem) return batch;
  if (room === "audit" && isItem) return auditEntry;
  if ((room === "model" && owner === "tokens") || kind === "model-tokens") return tokenCount;
  if (room !== "users") return undefined;
  if (kind === "profile") return userProfile;
  if (kind === "subscription") return storedSubscription;
  if (kind === "sessions" && isItem) return sessionTurn;
  return kind === "ledger" && isItem ? entry : undefined;
}

/** The head of a session, of a day's events or of the audit log; that of a ledger is verified with it. */
const isHead = (key: StoredKey): boolean =>
  key.at(-1)!.text === "head" && (["audit", "events"].includes(key[0]!.text) || key[2]?.text === "sessions");

type Damages = AsyncGenerator<readonly [key: StoredKey, found: Omit<DamagedValue, "user">]>;

async function* checkAll(storage: Storage, keys: readonly StoredKey[]): Damages {
  const found: StoredText[] = [];
  for (const [index, text] of (await readEach(storage, keys)).entries()) {
    const key = keys[index]!;
    const schema = schemaOf(key);
    // An entry that is not valid is named by the verification of its ledger.
    const checked = schema === undefined || schema === entry ? text : checkDocument(key, text, schema);
    if (checked instanceof Error) yield [key, checked];
    else if (schema === userProfile) yield* cutOffErasure(key, checked as UserProfile | undefined);
    if (typeof text === "string") found.push({ key, text });
  }
  yield* checkItems(storage, found);
  yield* checkAnswers(storage, found);
}

function* cutOffErasure(key: StoredKey, profile: UserProfile | undefined) {
  const { at, complete } = profile?.erased ?? { complete: true };
  const message = `the erasure that began on ${at} was cut off: run \`anp users erase\` again`;
  if (!complete) yield [key, { message, isErasure: true }] as const;
}

async function* checkItems(storage: Storage, found: readonly StoredText[]): Damages {
  const items = found.flatMap((one) => itemShownBy(one) ?? []).filter(({ version }) => version > 0);
  const isThere = await Promise.all(items.map(({ stem, version }) => storage.has(itemKey(stem, version))));
  for (const [index, { key, stem, version }] of items.entries()) {
    if (!isThere[index]!) yield [key, missingItem(stem, version)];
  }
}

/** The item that must exist: for an item the one before, as they are appended in order; for a head the one it names. */
function itemShownBy({ key, text }: StoredText) {
  if (isHead(key)) {
    const version = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0;
    return { key, stem: new EncodedSegment(encodeKey(key.slice(0, -1))), version };
  }
  const item = schemaOf(key) === entry ? undefined : streamItem(key);
  return item && { key, stem: item.stem, version: item.version - 1 };
}

/** In the text of an entry: quotes within its strings are escaped. */
const CHARGED = /"details":\{"type":"chat_cost","message_id":(\d+),/;

/** The message of an answer is stored before it is charged for, so that none is charged without it. */
async function* checkAnswers(storage: Storage, found: readonly StoredText[]): Damages {
  const kept = await prunedBefore(storage);
  const charged = found.flatMap(({ key, text }) => {
    const id = schemaOf(key) === entry ? Number(CHARGED.exec(text)?.[1]) : NaN;
    return id >= kept ? [{ key, id }] : []; // Older ones may have been removed on purpose.
  });
  const ids = [...new Set(charged.map(({ id }) => id))];
  const texts = await readEach(storage, ids.map(messageKey));
  const answers = new Map(ids.map((id, index) => [id, checkDocument(messageKey(id), texts[index], message)]));
  for (const { key, id } of charged) {
    const answer = answers.get(id);
    if (answer instanceof Error) yield [key, answer];
    else if (answer === undefined || encodeSegment(answer.user_id) !== ownerOf(key)) {
      const problem = answer === undefined ? "the answer is missing" : "it is an answer to somebody else";
      yield [key, new CorruptionError(printKey(messageKey(id)), `${problem}, which ${printKey(key)} charged for`)];
    }
  }
}

const ownerOf = ([room, user]: StoredKey): string | undefined => (room!.text === "users" ? user?.text : undefined);
