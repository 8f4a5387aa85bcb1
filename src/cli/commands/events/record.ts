import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT } from "../../framework/command-failure.ts";
import { runOperation } from "../../target/operations.ts";
import { among, optional, required, userParam, anything, word, idempotencyKey, integer } from "../../params/param.ts";
import { findLossyValues } from "../../../runtime/json/lossy-json.ts";
import { printRecord } from "../../terminal/print.ts";

export const record = defineCommand("events record", {
  arguments: { type: required(word) },
  options: {
    user: userParam(),
    session: optional(integer()),
    message: optional(integer()),
    route: optional(anything),
    subIntent: optional(anything),
    feedback: among(async () => {
      const { eventBody } = await import("../../../contract/schemas/event-schemas.ts");
      return eventBody.shape.feedback_type.unwrap().options;
    }),
    payload: optional(Object.assign(keptObject, { free: true as const })),
    idempotencyKey: optional(idempotencyKey),
  },
  async run({ user, idempotencyKey, ...event }, context) {
    const { type: event_type, session: session_id, message: message_id, route, subIntent: sub_intent } = event;
    const { feedback: feedback_type, payload: event_payload } = event;
    const body = { event_type, session_id, message_id, route, sub_intent, feedback_type, event_payload };
    const { data } = await runOperation(context, "recordEvent", { user, idempotencyKey, input: { body } });
    await printRecord(context, data);
    if (!data.stored)
      throw new CommandFailure(EXIT.unreachable, "The event was not stored: the log cannot be written.");
  },
});

/** A JSON object of which nothing would silently be changed. */
function keptObject(typed: string): object {
  let value: unknown;
  try {
    value = JSON.parse(typed);
  } catch (error) {
    throw new RangeError(`must be JSON: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new RangeError("must be a JSON object");
  const [unkept] = findLossyValues(typed);
  if (unkept !== undefined) throw new RangeError(`is not kept as it is: ${unkept.path.join(".")}: ${unkept.message}`);
  return value;
}
