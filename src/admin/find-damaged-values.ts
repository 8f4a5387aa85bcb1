import type { z } from "zod";
import { storedSubscription } from "../accounts/users.ts";
import { tokenRecord } from "../accounts/tokens.ts";
import { message, messageKey, sessionTurn } from "../assistant/sessions/messages.ts";
import { batch } from "../events/event.ts";
import { entry } from "../ledger/entry.ts";
import { batchesOf } from "../runtime/batches.ts";
import { parseJson } from "../runtime/parse-json.ts";
import { parseDocument, printKey, readEach } from "../storage/documents.ts";
import { encodeKey, encodeSegment, itemKey, missingItem, streamItem } from "../storage/keys.ts";
import { CorruptionError, isOutage } from "../storage/storage-errors.ts";
import { EncodedSegment, type Storage } from "../storage/storage.ts";

/** A value that is damaged or missing, and is no entry of a ledger. */
export interface DamagedValue {
  /** Whose it is, encoded; undefined for what belongs to no user. */
  readonly user: string | undefined;
  /** Names the key. */
  readonly message: string;
}

type StoredKey = readonly EncodedSegment[];

type StoredText = { readonly key: StoredKey; readonly text: string };

/**
 * Reads what `verifyLedgers` does not: subscriptions, sessions, the messages of charged answers, and of all users the
 * tokens and the events. One pass over the keys, in flat memory.
 *
 * @param user whose values to read; everybody's, and those of nobody, by default
 * @throws StorageError when the storage does not answer
 */
export async function* findDamagedValues(storage: Storage, user?: string): AsyncGenerator<DamagedValue> {
  const all = storage.keys(user === undefined ? [] : ["users", user]);
  for await (const keys of batchesOf(all, 256)) {
    const looked = keys.filter((key) => schemaOf(key) !== undefined || isHead(key));
    yield* checkAll(storage, looked);
  }
}

/** What the value of a key must be; undefined for a key that is not looked at. */
function schemaOf(key: StoredKey): z.ZodType | undefined {
  const [room, , kind] = key.map(({ text }) => text);
  const isItem = streamItem(key) !== undefined;
  if (room === "tokens") return tokenRecord;
  if (room === "events" && isItem) return batch;
  if (room !== "users") return undefined;
  if (kind === "subscription") return storedSubscription;
  if (kind === "sessions" && isItem) return sessionTurn;
  return kind === "ledger" && isItem ? entry : undefined;
}

/** The head of a session or of a day's events; that of a ledger is verified with it. */
function isHead(key: StoredKey): boolean {
  return key.at(-1)!.text === "head" && (key[0]!.text === "events" || key[2]?.text === "sessions");
}

async function* checkAll(storage: Storage, keys: readonly StoredKey[]): AsyncGenerator<DamagedValue> {
  const texts = await readEach(storage, keys);
  const found: StoredText[] = [];
  for (const [index, text] of texts.entries()) {
    const key = keys[index]!;
    if (text instanceof Error) yield { user: ownerOf(key), message: text.message };
    else if (text !== undefined) found.push({ key, text });
  }
  for (const { key, text } of found) {
    const schema = schemaOf(key);
    // An entry that is not valid is named by the verification of its ledger.
    if (schema !== undefined && schema !== entry) yield* damageOf(key, () => parseDocument(key, text, schema));
  }
  for (const check of [checkPredecessors, checkHeads, checkAnswers]) yield* check(storage, found);
}

/** Items are appended in order: one without the item before it shows that this one is lost. */
async function* checkPredecessors(storage: Storage, found: readonly StoredText[]): AsyncGenerator<DamagedValue> {
  const items = found.flatMap(({ key }) => {
    const item = schemaOf(key) === entry ? undefined : streamItem(key);
    return item === undefined || item.version === 1 ? [] : [{ key, stem: item.stem, version: item.version - 1 }];
  });
  const isThere = await Promise.all(items.map(({ stem, version }) => storage.has(itemKey(stem, version))));
  for (const [index, { key, stem, version }] of items.entries()) {
    if (!isThere[index]!) yield { user: ownerOf(key), message: missingItem(stem, version).message };
  }
}

async function* checkHeads(storage: Storage, found: readonly StoredText[]): AsyncGenerator<DamagedValue> {
  for (const { key, text } of found.filter((one) => isHead(one.key))) {
    const head = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0;
    const stem = new EncodedSegment(encodeKey(key.slice(0, -1)));
    if (head > 0 && !(await storage.has(itemKey(stem, head)))) {
      yield { user: ownerOf(key), message: missingItem(stem, head).message };
    }
  }
}

/** The message of an answer is stored before it is charged for, so that none is charged without it. */
async function* checkAnswers(storage: Storage, found: readonly StoredText[]): AsyncGenerator<DamagedValue> {
  const charged = found.flatMap(({ key, text }) => {
    const details = schemaOf(key) === entry ? entry.safeParse(parseJson(text)).data?.details : undefined;
    return details?.type === "chat_cost" ? [{ key, at: messageKey(details.message_id) }] : [];
  });
  const places = charged.map(({ at }) => at);
  const texts = await readEach(storage, places);
  for (const [index, { key, at }] of charged.entries()) {
    yield* damageOf(key, () => {
      const text = texts[index];
      if (text instanceof Error) throw text;
      const answer = parseDocument(at, text, message);
      const problem = answer === undefined ? "the answer is missing" : "it is an answer to somebody else";
      if (answer === undefined || encodeSegment(answer.user_id) !== ownerOf(key)) {
        throw new CorruptionError(printKey(at), `${problem}, which ${printKey(key)} charged for`);
      }
    });
  }
}

function* damageOf(key: StoredKey, check: () => unknown): Generator<DamagedValue> {
  try {
    check();
  } catch (error) {
    if (!(error instanceof CorruptionError) && !isOutage(error)) throw error;
    yield { user: ownerOf(key), message: error.message };
  }
}

function ownerOf([room, user]: StoredKey): string | undefined {
  return room!.text === "users" ? user?.text : undefined;
}
