import type { z } from "zod";
import { storedSubscription } from "../accounts/subscriptions.ts";
import { userProfile, type UserProfile } from "../accounts/users.ts";
import { tokenRecord } from "../accounts/tokens.ts";
import { tokenCount } from "../assistant/model/token-budgets.ts";
import { message, messageKey, prunedBefore, sessionTrace } from "../assistant/sessions/messages.ts";
import { batch } from "../events/event.ts";
import { entryKey } from "../ledger/entry.ts";
import type { LedgerHooks, WalkedEntries } from "../ledger/scan-for-damage.ts";
import { checkDocument, printKey, readEach } from "../storage/documents.ts";
import { encodeKey, encodeSegment, itemKey, missingItem, streamItem } from "../storage/keys.ts";
import { CorruptionError, EncodedSegment, type Storage } from "../storage/storage.ts";
import { auditEntry } from "./audit-log.ts";

/** A value that is damaged or missing, and is not an entry of a ledger. */
export interface DamagedValue {
  readonly user: string | undefined; // Its user, encoded; undefined if it belongs to none.
  readonly message: string; // Names the key.
  readonly isErasure?: boolean | undefined; // An interrupted erasure, reported before any other damage.
}

type StoredKey = readonly EncodedSegment[];
type StoredText = { readonly key: StoredKey; readonly text: string };
type Report = (damaged: DamagedValue) => void;

/** Checks values of which `verifyLedgers` reads only the key: subscriptions, sessions, tokens, events and so on; and
 * the messages of the answers that its entries charged for. Nothing is listed or read a second time.
 * @param report called with each damaged value @throws StorageError when the storage does not answer */
export function checkValues(storage: Storage, report: Report): LedgerHooks {
  return {
    async onKeys(keys) {
      const looked = keys.filter((key) => schemaOf(key) !== undefined || isHead(key));
      if (looked.length > 0) await checkAll(storage, looked, report);
    },
    onEntries: (user, entries) => checkAnswers(storage, user, entries, report),
  };
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
  return sessionTrace.isAt(key) ? sessionTrace.schema : undefined;
}

/** The head of a session, of a day's events or of the audit log; that of a ledger is verified with it. */
const isHead = (key: StoredKey): boolean =>
  key.at(-1)!.text === "head" && (["audit", "events"].includes(key[0]!.text) || key[2]?.text === "sessions");

async function checkAll(storage: Storage, keys: readonly StoredKey[], report: Report): Promise<void> {
  const found: StoredText[] = [];
  for (const [index, text] of (await readEach(storage, keys)).entries()) {
    const key = keys[index]!;
    const schema = schemaOf(key);
    const checked = schema === undefined ? text : checkDocument(key, text, schema);
    if (checked instanceof Error) report({ user: ownerOf(key), message: checked.message });
    else if (schema === userProfile) checkErasure(key, checked as UserProfile | undefined, report);
    if (typeof text === "string") found.push({ key, text });
  }
  await checkItems(storage, found, report);
}

function checkErasure(key: StoredKey, profile: UserProfile | undefined, report: Report): void {
  const { at, complete } = profile?.erased ?? { complete: true };
  const message = `the erasure that began on ${at} was cut off: run \`anp users erase\` again`;
  if (!complete) report({ user: ownerOf(key), message, isErasure: true });
}

async function checkItems(storage: Storage, found: readonly StoredText[], report: Report): Promise<void> {
  const items = found.flatMap((one) => itemShownBy(one) ?? []).filter(({ version }) => version > 0);
  const isThere = await Promise.all(items.map(({ stem, version }) => storage.has(itemKey(stem, version))));
  for (const [index, { key, stem, version }] of items.entries())
    if (!isThere[index]!) report({ user: ownerOf(key), message: missingItem(stem, version).message });
}

/** The item whose existence this value implies: the previous item, or the one that a head names. */
function itemShownBy({ key, text }: StoredText) {
  if (isHead(key)) {
    const version = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0;
    return { key, stem: new EncodedSegment(encodeKey(key.slice(0, -1))), version };
  }
  const item = streamItem(key);
  return item && { key, stem: item.stem, version: item.version - 1 };
}

/** The message of an answer is stored before it is charged for, so that none is charged without it. */
async function checkAnswers(storage: Storage, user: EncodedSegment, walked: WalkedEntries, report: Report) {
  const { first, charged } = walked;
  const all = new Set(charged.filter((id) => id !== null));
  if (all.size === 0) return;
  const kept = await prunedBefore(storage); // Older ones may have been removed on purpose.
  const ids = [...all].filter((id) => id >= kept);
  const texts = await readEach(storage, ids.map(messageKey));
  const answers = new Map(ids.map((id, index) => [id, checkDocument(messageKey(id), texts[index], message)]));
  for (const [index, id] of charged.entries()) {
    if (id === null || id < kept) continue;
    const answer = answers.get(id);
    if (answer && !(answer instanceof Error) && encodeSegment(answer.user_id) === user.text) continue;
    const key = entryKey(user, first + index);
    const problem = answer === undefined ? "the answer is missing" : "it is an answer to somebody else";
    const wrong = new CorruptionError(printKey(messageKey(id)), `${problem}, which ${printKey(key)} charged for`);
    report({ user: user.text, message: (answer instanceof Error ? answer : wrong).message });
  }
}

const ownerOf = ([room, user]: StoredKey): string | undefined => (room!.text === "users" ? user?.text : undefined);
