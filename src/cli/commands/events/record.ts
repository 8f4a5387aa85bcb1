import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { runOperation } from "../../target/operations.ts";
import {
  among,
  optional,
  required,
  userParam,
  anything,
  idempotencyKey,
  integer,
  jsonObject,
} from "../../framework/param.ts";
import { findUnkept } from "../../../runtime/unkept-json.ts";
import { printRecord } from "../../terminal/print.ts";

export const record = defineCommand({
  summary: "Record one event in a user's name",
  arguments: { type: required("TYPE", "behaviour type, at least 2 characters", anything) },
  options: {
    user: userParam("user", "id of the user"),
    session: optional("id", "session of the event", integer()),
    message: optional("id", "message the event is about", integer()),
    route: optional("route", "route of the message", anything),
    subIntent: optional("name", "sub-intent of the message", anything),
    feedback: among("kind", "the user's opinion of the answer", feedbackTypes),
    payload: optional("json", "JSON object of other fields", keptObject),
    idempotencyKey: optional("key", "a repeat with the same key and event is stored once", idempotencyKey),
  },
  fields: {
    event_type: "TYPE",
    session_id: "--session",
    message_id: "--message",
    feedback_type: "--feedback",
    event_payload: "--payload",
  },
  target: "either",
  async run(values, context) {
    const { type, user, session, message, route, subIntent, feedback, payload, idempotencyKey: key } = values;
    const body = {
      event_type: type,
      session_id: session,
      message_id: message,
      route,
      sub_intent: subIntent,
      feedback_type: feedback,
      event_payload: payload,
    };
    const { data } = await runOperation(context, "recordEvent", { user, idempotencyKey: key, input: { body } });
    await printRecord(context, data);
    if (!data.stored)
      throw new CommandFailure(EXIT.unreachable, "The event was not stored: the log cannot be written.");
  },
});

async function feedbackTypes(): Promise<readonly string[]> {
  const { eventBody } = await import("../../../contract/schemas/event-schemas.ts");
  return eventBody.shape.feedback_type.unwrap().options;
}

/** A JSON object of which nothing would silently be changed. */
function keptObject(typed: string): object {
  const value = jsonObject(typed);
  const [unkept] = findUnkept(typed);
  if (unkept !== undefined) throw new RangeError(`is not kept as it is: ${unkept.path.join(".")}: ${unkept.message}`);
  return value;
}
