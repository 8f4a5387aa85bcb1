import { LIMITS } from "../../contract/field-bounds.ts";
import { isPortable } from "../../contract/schemas/shared-fields.ts";
import { printField, validate } from "../../contract/validation/validate-value.ts";
import { findLossyValues } from "../../runtime/json/lossy-json.ts";
import { type ExportedEvent, exportedEvent, type StoredEvent, UTC_MILLISECONDS } from "../event.ts";
import { contentOf, fingerprint, sourceIdOf } from "../log/event-fingerprint.ts";

/** An event of an export, as text: what is kept of many is small, and what parsing made of it dies young. */
export interface ReplayedEvent {
  readonly fingerprint: string; // The same for the same event, whatever the order of its fields.
  readonly day: string; // The UTC day in whose log it belongs.
  readonly source_id: string | undefined; // The id in the export, if there was one.
  readonly json: string; // The `StoredEvent` as JSON.
  readonly text: string; // Its line, and that line's number in the input.
  readonly line: number;
}

const MOST_REASON = 500; // Longest reason, characters: a line of unknown keys would make one as long as itself.

/** Parses one line. Returns the event, or the reason for rejecting it. */
export function readLine(text: string, line: number): ReplayedEvent | string {
  if (text.length > LIMITS.requestBody) return `longer than ${LIMITS.requestBody} characters`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `not JSON: ${(error as Error).message}`.slice(0, 200);
  }
  const checked =
    text.length <= PLAIN_LENGTH && isPlainEvent(value)
      ? { valid: true as const, data: value }
      : validate(exportedEvent, value);
  const errors = [...findLossyValues(text), ...(checked.valid ? [] : checked.errors)];
  if (!checked.valid || errors.length > 0) {
    const reasons = errors.map((error) => printField(error, "line"));
    return reasons.join("; ").slice(0, MOST_REASON);
  }
  const { created_at, user_id, event_type, session_id, message_id, route, sub_intent } = checked.data;
  const { event_id, feedback_type, event_payload } = checked.data;
  const event: StoredEvent = {
    ...{ created_at, user_id, event_type, session_id, message_id, route, sub_intent, feedback_type, event_payload },
    source_id: undefined,
  };
  const content = contentOf(event);
  const source_id = event_id === undefined ? undefined : sourceIdOf(event_id, content);
  event.source_id = source_id;
  const identity = fingerprint(content, source_id ?? "");
  return { fingerprint: identity, day: created_at.slice(0, 10), source_id, json: JSON.stringify(event), text, line };
}

const PLAIN_LENGTH = LIMITS.eventPayload.bytes / 4; // A character takes at most 3 bytes, in a number written again 4.

type Check = (value: unknown) => boolean;

/** Strings that no schema trims or refuses for its characters. */
function plain(max: number, min = 1, pattern = /^[!-~]+(?: +[!-~]+)*$/): Check {
  return (value) => typeof value === "string" && value.length >= min && value.length <= max && pattern.test(value);
}
const isPositive: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const { refId, userId, eventType, label, eventPayload, integer } = LIMITS;

const PLAIN_FIELDS = new Map<string, Check>(
  Object.entries({
    event_id: plain(refId),
    created_at: plain(24, 24, UTC_MILLISECONDS),
    user_id: plain(userId),
    event_type: plain(eventType.max, eventType.min),
    session_id: isPositive,
    message_id: isPositive,
    route: plain(label),
    sub_intent: plain(label),
    feedback_type: (value) => value === "helpful" || value === "inaccurate",
    event_payload: (value) => isObject(value) && !Array.isArray(value) && isPlainValue(value, eventPayload.depth),
  } satisfies Record<keyof ExportedEvent, Check>),
);

/** Whether the schema certainly accepts a value unchanged: so it does with most lines, and this costs a tenth. */
function isPlainEvent(value: unknown): value is ExportedEvent {
  if (!isObject(value)) return false;
  for (const name in value) if (PLAIN_FIELDS.get(name)?.(value[name]) !== true) return false;
  return value.created_at !== undefined && value.user_id !== undefined && value.event_type !== undefined;
}

function isPlainValue(value: unknown, depth: number): boolean {
  if (typeof value === "string") return isPortable(value);
  if (typeof value === "number") return Math.abs(value) <= integer;
  if (!isObject(value)) return true;
  if (depth === 0) return false;
  for (const name in value) if (!isPortable(name) || !isPlainValue(value[name], depth - 1)) return false;
  return true;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
