import { readMessages } from "../assistant/sessions/messages.ts";
import type { Entry } from "../ledger/entry.ts";
import { batchesOf } from "../runtime/batches.ts";
import type { Storage } from "../storage/storage.ts";
import { isFreeUse } from "./ledger-reader.ts";

const REPEAT_MS = 10 * 60_000; // The same question within this time may be an unintended repeat, ms.
/** How many older entries are searched for the same question. */
export const REPEAT_WINDOW = 100;

/** What each entry charged for; undefined for one that charged for no question. @param entries newest first: a question
 * that one of the next {@link REPEAT_WINDOW} asked too, shortly before, is marked as its repeat */
export async function readCharges(storage: Storage, entries: readonly Entry[]) {
  const ids = entries.flatMap(({ details }) => (details.type === "chat_cost" ? [details.message_id] : []));
  const questions = new Map<number, string>();
  for await (const some of batchesOf(ids, 100))
    for (const { message_id, question } of await readMessages(storage, some)) questions.set(message_id, question);
  // An erased one is empty.
  const questionOf = ({ details }: Entry): string | null =>
    (details.type === "chat_cost" && questions.get(details.message_id)) || null;
  return entries.map((entry, index) => {
    const { id, delta, details, ref_id, created_at, operation } = entry;
    if (details.type !== "chat_cost") return undefined;
    const question = questionOf(entry);
    const older = entries.slice(index + 1, index + 1 + REPEAT_WINDOW);
    const same = older.find((other) => question !== null && questionOf(other) === question);
    const ms = same === undefined ? Infinity : Date.parse(created_at) - Date.parse(same.created_at);
    const first = ms > REPEAT_MS ? undefined : same;
    const hadKeys = operation.repeatable && first?.operation.repeatable === true;
    return {
      message_id: details.message_id,
      created_at,
      question,
      route: `${details.route}/${details.sub_intent}`,
      entry: id,
      points_cost: -delta || 0,
      free_use: isFreeUse(entry),
      ref_id,
      /** The entry that charged for the same question shortly before, and how long before. */
      repeats_entry: first?.id ?? null,
      seconds_after: first === undefined ? null : ms / 1000,
      /** `other`: the two requests had different idempotency keys; `none`: at least one had none. */
      repeat_key: first === undefined ? null : hadKeys ? ("other" as const) : ("none" as const),
    };
  });
}

/** The first questions that entries charged for, newest first as they are. */
export const chargedQuestions = async (storage: Storage, entries: readonly Entry[], limit: number) =>
  (await readCharges(storage, entries)).flatMap((charge) => charge ?? []).slice(0, limit);
