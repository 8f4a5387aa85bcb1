// Ledgers of any length, made faster than by posting: the chain is made here, entry by entry, and many values are
// written at once. `anp ledger verify` finds them right.
import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { createUsers } from "../../dist/accounts/users.js";
import { messageKey } from "../../dist/assistant/sessions/messages.js";
import { EMPTY_ACCOUNT, genesisHash, hashEntry, ledgerKey, operationKey } from "../../dist/ledger/entry.js";
import { fixedClock } from "../../dist/runtime/clock.js";
import { sha256 } from "../../dist/runtime/json/canonical-json.js";
import { encodeKey, HINT_INTERVAL } from "../../dist/storage/keys.js";

export const START = Date.parse("2026-01-01T00:00:00Z");
const EVERY_MS = 20_000;
const TOGETHER = 1000;
/** One operation in so many has an idempotency key. */
const KEYED = 10;

/** The message that all answers of a user were charged for. */
const messageOf = (user) => Number.parseInt(sha256(user).slice(0, 12), 16);

/** The entries of a user, oldest first: an exchange, then answers that cost a point each, and so on.
 * @param every_ms from one to the next
 * @param adjusts one entry in so many is an adjustment instead */
export function* entriesOf(user, count, { every_ms = EVERY_MS, adjusts = Infinity } = {}) {
  let account = EMPTY_ACCOUNT;
  let prev = genesisHash(user);
  const message_id = messageOf(user);
  for (let id = 1; id <= count; id++) {
    const adjust = id % adjusts === 0;
    const earns = id % 20 === 1 || adjust;
    const delta = earns ? 20 : -1;
    account = {
      ...account,
      balance: account.balance + delta,
      total_earned: account.total_earned + Math.max(0, delta),
      total_spent: account.total_spent + Math.max(0, -delta),
    };
    const fields = {
      id,
      user_id: user,
      type: adjust ? "adjust" : earns ? "exchange" : "chat_cost",
      delta,
      description: earns ? "兑换 2 个代币，汇率 10" : "问答（help/fees）",
      ref_id: `r${String(id).padStart(25, "0")}`,
      created_at: new Date(START + id * every_ms).toISOString(),
      operation: { id: `key:${id}`, request: sha256(String(id)), repeatable: id % KEYED === 0 },
      details: adjust
        ? { type: "adjust", reason: "goodwill", actor: "ops" }
        : earns
          ? { type: "exchange", token_amount: 2, exchange_rate: 10 }
          : { type: "chat_cost", message_id, session_id: message_id, route: "help", sub_intent: "fees", free: false },
      account,
      prev,
    };
    prev = hashEntry(fields);
    yield { ...fields, hash: prev };
  }
}

/**
 * Fills the ledger of a new user; that of a known one stays as it is. On files nothing is synced: a bench of writes does not
 * begin with this.
 */
export async function seedLedger(storage, user, count, options) {
  const users = createUsers({ storage, clock: fixedClock(START), ttl_ms: 0 });
  if (!(await users.create(user, {}))) return;
  const write = storage.url.startsWith("fs:") ? fileWriter(storage.url.slice(3)) : createWriter(storage);
  await write(messageKey(messageOf(user)), JSON.stringify(answerTo(user)));
  for (const entry of entriesOf(user, count, options)) {
    const place = [...ledgerKey(user), String(Math.floor((entry.id - 1) / 1000)), String(entry.id)];
    await write(place, JSON.stringify(entry));
    if (entry.operation.repeatable) await write(operationKey(user, entry.operation.id), `{"entry":${entry.id}}`);
  }
  if (storage.url.startsWith("fs:")) {
    // What the storage leaves at the end of a stream.
    const folder = `${storage.url.slice(3)}/${encodeKey(ledgerKey(user)).replaceAll(":", "/")}/${Math.floor((count - 1) / 1000)}`;
    linkSync(`${folder}/${count}.json`, `${folder}/.last`);
  }
  const hinted = count - (count % HINT_INTERVAL);
  if (hinted > 0) await write([...ledgerKey(user), "head"], String(hinted));
  await write.end();
}

function answerTo(user) {
  return {
    user_id: user,
    message_id: messageOf(user),
    session_id: messageOf(user),
    created_at: new Date(START).toISOString(),
    question: "What are the fees?",
    answer: "The maker fee is 0.1%.",
    route: "help",
    sub_intent: "fees",
    source_items: [],
    model_name: "local-extractive",
    latency_ms: 1,
  };
}

function fileWriter(base) {
  const made = new Set();
  const write = (key, text) => {
    const path = `${base}/${encodeKey(key).replaceAll(":", "/")}.json`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(folder)) mkdirSync(folder, { recursive: true });
    made.add(folder);
    writeFileSync(path, text);
  };
  return Object.assign(write, { end: () => undefined });
}

function createWriter(storage) {
  let waiting = [];
  const end = async () => {
    await Promise.all(waiting);
    waiting = [];
  };
  const write = async (key, text) => {
    waiting.push(storage.create(key, text));
    if (waiting.length >= TOGETHER) await end();
  };
  return Object.assign(write, { end });
}
