import { LIMITS } from "../../contract/field-bounds.ts";
import { printField, validate } from "../../contract/validate.ts";
import { findUnkept } from "../../runtime/json/unkept-json.ts";
import { exportedEvent, type StoredEvent } from "../event.ts";
import { contentOf, fingerprint, sourceIdOf } from "../log/event-fingerprint.ts";

/** An event of an export, as text: what is kept of many is small, and what parsing made of it dies young. */
export interface ReplayedEvent {
  /** The same for the same event, whatever the order of its fields. */
  readonly fingerprint: string;
  /** The UTC day in whose log it belongs. */
  readonly day: string;
  /** The id in the export, if there was one. */
  readonly source_id: string | undefined;
  /** The {@link StoredEvent} as JSON. */
  readonly json: string;
  /** Its line and the number of the line in the input. */
  readonly text: string;
  readonly line: number;
}

/** Longest reason, characters: a line of unknown keys would make one as long as itself. */
const MOST_REASON = 500;

/** Parses one line. Returns the event, or the reason for rejecting it. */
export function readLine(text: string, line: number): ReplayedEvent | string {
  if (text.length > LIMITS.requestBody) return `longer than ${LIMITS.requestBody} characters`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `not JSON: ${(error as Error).message}`.slice(0, 200);
  }
  const checked = validate(exportedEvent, value);
  const errors = [...findUnkept(text), ...(checked.valid ? [] : checked.errors)];
  if (!checked.valid || errors.length > 0) {
    const reasons = errors.map((error) => printField(error, "line"));
    return reasons.join("; ").slice(0, MOST_REASON);
  }
  const { event_id, ...event } = checked.data;
  const content = contentOf(event);
  const source_id = event_id === undefined ? undefined : sourceIdOf(event_id, content);
  const json = JSON.stringify({ ...event, source_id } satisfies StoredEvent);
  const day = event.created_at.slice(0, 10);
  return { fingerprint: fingerprint(content, source_id ?? ""), day, source_id, json, text, line };
}
