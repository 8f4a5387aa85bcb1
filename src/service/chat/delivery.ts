import type { Message, Messages } from "../../assistant/sessions/messages.ts";
import type { OperationData } from "../../contract/endpoints.ts";
import { AnpError, invalid } from "../../contract/errors.ts";
import type { Events } from "../../events/events.ts";
import type { DuplicateSearch } from "../../events/log/day-writer.ts";
import { QUESTION_ASKED } from "../../events/projections/hot-questions.ts";
import type { Entry } from "../../ledger/entry.ts";
import { StorageError } from "../../storage/storage.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Outcome } from "../operation.ts";

export type DeliveryDeps = { readonly messages: Messages; readonly events: Events; readonly logger: Logger };

/** Delivers an answer that was just charged. A failure here does not undo the charge. The event and then the session
 * turn are written after the reply, so an answer with a turn has its event.
 * @param unfinished called when a write failed */
export async function deliver(deps: DeliveryDeps, message: Message, entry: Entry, unfinished: () => void) {
  await deps.messages.joinLater(message, recordQuestion(deps.events, message), (error) => {
    const what = "a charged answer could not be recorded or join its session: that is tried again later";
    deps.logger.error({ err: error, message_id: message.message_id }, what);
    unfinished();
  });
  return { data: toAnswer(message, entry) };
}

/** Delivers an answer that an earlier call was charged for. */
export async function redeliver(messages: Messages, entry: Entry): Promise<Outcome<"sendChat">> {
  if (entry.details.type !== "chat_cost") throw new AnpError(500, `Entry ${entry.id} is not a chat.`);
  const message = await messages.get(entry.details.message_id);
  if (message === undefined) {
    const gone = "was used for a question whose answer is no longer kept; nothing was charged again";
    throw invalid([{ in: "header", path: "Idempotency-Key", message: gone }]);
  }
  return { data: toAnswer(message, entry), replayed: true };
}

/** Records the event of a question. Only one answered from sources may become a hot question, shown to others.
 * @param search where in the day's log the event may be stored already
 * @throws StorageError when the event was not stored */
export async function recordQuestion(events: Events, message: Message, search?: DuplicateSearch): Promise<void> {
  const { user_id, session_id, message_id, route, sub_intent, question, lang, outcome, created_at } = message;
  const talk = outcome !== "answered" || route === "small_talk" || route === "out_of_scope";
  const event_type = talk ? "chat_message" : QUESTION_ASKED;
  const event = { event_type, user_id, session_id, message_id, route, sub_intent, event_payload: { question, lang } };
  const { stored } = await events.recordLater(event, { created_at, ...(search && { search }) });
  if (!stored) throw new StorageError("The event log did not take the event of a question.");
}

function toAnswer(message: Message, entry: Entry): OperationData<"sendChat"> {
  const { message_id, session_id, answer, route, sub_intent, source_items, model_name, latency_ms } = message;
  const charged = { points_cost: Math.max(0, -entry.delta), credits_remaining: entry.account.balance };
  return { message_id, session_id, answer, route, sub_intent, source_items, ...charged, model_name, latency_ms };
}
