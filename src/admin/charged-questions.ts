import { readMessages } from "../assistant/sessions/messages.ts";
import type { Entry } from "../ledger/entry.ts";
import { batchesOf, collect } from "../runtime/batches.ts";
import type { Storage } from "../storage/storage.ts";
import { isFreeUse } from "./ledger-reader.ts";

/** The same question asked again within so long may be a repeat that nobody meant, ms. */
const REPEAT_MS = 10 * 60_000;
const BATCH = 100;

/** An entry, and the question that it charged for as operators see it, if it charged for one. */
export type ChargedEntry = Awaited<ReturnType<typeof chargesOf>>[number];

/** A question that a user paid for, with points or with a free use; `entry` is the number of the entry that charged it. */
export type ChargedQuestion = NonNullable<ChargedEntry["charge"]>;

/** Reads the questions that entries charged for.
 * @param entries newest first: a question that one of the next {@link BATCH} or so asked too, shortly before, is marked
 *   as its repeat */
export async function* withQuestions(
  storage: Storage,
  entries: AsyncIterable<Entry> | Iterable<Entry>,
): AsyncGenerator<ChargedEntry> {
  let before: ChargedEntry[] = [];
  for await (const some of batchesOf(entries, BATCH)) {
    const read = await chargesOf(storage, some);
    yield* markRepeats(before, read);
    before = read;
  }
  yield* markRepeats(before, []);
}

/** The first questions that entries charged for, newest first as they are. */
export async function chargedQuestions(
  storage: Storage,
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  most: number,
): Promise<ChargedQuestion[]> {
  const read = await collect(withQuestions(storage, entries));
  return read.flatMap(({ charge }) => charge ?? []).slice(0, most);
}

async function chargesOf(storage: Storage, entries: readonly Entry[]) {
  const ids = entries.flatMap(({ details }) => (details.type === "chat_cost" ? [details.message_id] : []));
  const messages = new Map((await readMessages(storage, ids)).map((found) => [found.message_id, found]));
  return entries.map((entry) => {
    const { id, delta, details, ref_id, created_at } = entry;
    if (details.type !== "chat_cost") return { entry, charge: undefined };
    const { message_id, route, sub_intent } = details;
    const charge = {
      message_id,
      created_at,
      // An erased one is empty.
      question: messages.get(message_id)?.question || null,
      route: `${route}/${sub_intent}`,
      entry: id,
      points_cost: -delta || 0,
      free_use: isFreeUse(entry),
      ref_id,
      /** The entry that charged for the same question shortly before, and how long before. */
      repeats_entry: null as number | null,
      seconds_after: null as number | null,
      /** Whether the two requests had keys: `other` ones, or at least one had none, so that it was no repeat to us. */
      repeat_key: null as "other" | "none" | null,
    };
    return { entry, charge };
  });
}

function markRepeats(entries: readonly ChargedEntry[], next: readonly ChargedEntry[]): readonly ChargedEntry[] {
  const all = [...entries, ...next];
  for (const [index, { entry, charge }] of entries.entries()) {
    if (charge?.question == null) continue;
    const first = all.slice(index + 1).find((other) => other.charge?.question === charge.question);
    const ms = first === undefined ? Infinity : Date.parse(entry.created_at) - Date.parse(first.entry.created_at);
    if (ms > REPEAT_MS) continue;
    charge.repeats_entry = first!.entry.id;
    charge.seconds_after = ms / 1000;
    charge.repeat_key = entry.operation.repeatable && first!.entry.operation.repeatable ? "other" : "none";
  }
  return entries;
}
