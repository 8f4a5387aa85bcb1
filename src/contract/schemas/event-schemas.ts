import { z } from "zod";
import { LIMITS } from "../field-bounds.ts";
import { isPortable, named, portablePattern, positiveInt, text } from "./shared-fields.ts";

/** Whether a JSON value is nested at most so deeply: a scalar is 0 deep, `{}` and `[]` are 1. */
function isWithinDepth(value: unknown, bound: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return bound > 0 && Object.values(value).every((item) => isWithinDepth(item, bound - 1));
}

/** What of a payload no JSON reader is sure to keep as it was sent, with where it is. */
function unkept(value: unknown, path: readonly string[] = []): { path: readonly string[]; message: string }[] {
  if (typeof value === "string") return isPortable(value) ? [] : [{ path, message: NOT_PORTABLE }];
  if (typeof value === "number") return Math.abs(value) <= LIMITS.integer ? [] : [{ path, message: TOO_LARGE }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const at = [...path, key];
    return isPortable(key) ? unkept(item, at) : [{ path: at, message: BAD_NAME }];
  });
}

const NOT_PORTABLE = "must be well-formed Unicode without NUL";
const TOO_LARGE = "must be a number from -(2^53 - 1) to 2^53 - 1: another would not be kept exactly";
const BAD_NAME = `has a name that is not kept: it ${NOT_PORTABLE}`;
const { depth, bytes } = LIMITS.eventPayload;
const TOO_DEEP = `must be nested at most ${depth} levels deep`;

const PAYLOAD = {
  description:
    `Further fields, at most ${depth} levels deep and ${bytes} bytes as JSON, stored as sent. What would be changed is ` +
    "refused: numbers that a double does not keep exactly, and the name __proto__",
  propertyNames: { pattern: portablePattern(0) },
};

export const eventBody = z.object({
  event_type: text(LIMITS.eventType.max, LIMITS.eventType.min),
  session_id: positiveInt.optional(),
  message_id: positiveInt.optional(),
  route: text(LIMITS.label).optional(),
  sub_intent: text(LIMITS.label).optional(),
  feedback_type: z.enum(["helpful", "inaccurate"]).optional(),
  event_payload: z
    .record(z.string(), z.unknown())
    .refine((value) => isWithinDepth(value, depth), { message: TOO_DEEP, abort: true })
    .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= bytes, `must be at most ${bytes} bytes as JSON`)
    .superRefine((value, context) => {
      for (const { path, message } of unkept(value)) context.addIssue({ code: "custom", path: [...path], message });
    })
    .optional()
    .meta({ ...PAYLOAD, additionalProperties: { $ref: "#/components/schemas/PayloadValue" } }),
});

export const eventRecord = named("EventRecord", {
  event_id: z.string(),
  event_type: z.string(),
  accepted: z.boolean(),
  stored: z.boolean().meta({ description: "false when the event log could not be written" }),
});
