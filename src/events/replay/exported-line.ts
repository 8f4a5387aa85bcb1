import { LIMITS } from "../../contract/field-bounds.ts";
import { printField, validate } from "../../contract/validation/validate-value.ts";
import { findLossyValues } from "../../runtime/json/lossy-json.ts";
import { parseOrError } from "../../runtime/json/parse-json.ts";
import { exportedEvent, type StoredEvent } from "../event.ts";
import { contentOf, fingerprint, sourceIdOf } from "../log/event-fingerprint.ts";

/** An event of an export as JSON text: small to keep, while the objects of parsing become garbage early. */
export type ReplayedEvent = Readonly<Exclude<ReturnType<typeof readLine>, string>>;

const MAX_REASON_LENGTH = 500; // Longest reason, characters: a line of unknown keys would make one as long as itself.

/** Parses one line. Returns the event, or the reason for rejecting it. */
export function readLine(text: string, line: number) {
  if (text.length > LIMITS.requestBody) return `longer than ${LIMITS.requestBody} characters`;
  const value = parseOrError(text);
  if (value instanceof Error) return `not JSON: ${value.message}`.slice(0, 200);
  const checked = validate(exportedEvent, value);
  const errors = [...findLossyValues(text), ...(checked.valid ? [] : checked.errors)];
  if (!checked.valid || errors.length > 0) {
    const reasons = errors.map((error) => printField(error, "line"));
    return reasons.join("; ").slice(0, MAX_REASON_LENGTH);
  }
  const { event_id, ...event } = checked.data;
  const content = contentOf(event);
  const source_id = event_id === undefined ? undefined : sourceIdOf(event_id, content);
  return {
    fingerprint: fingerprint(content, source_id ?? ""), // The same for the same event, whatever the order of its fields.
    day: event.created_at.slice(0, 10), // The UTC day in whose log it belongs.
    user: event.user_id,
    source_id, // The id in the export, if there was one.
    json: JSON.stringify({ ...event, source_id } satisfies StoredEvent),
    text, // Its line, and that line's number in the input.
    line,
  };
}
