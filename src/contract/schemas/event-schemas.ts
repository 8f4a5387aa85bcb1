import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { positiveInt, text } from "./shared-fields.ts";

/** Depth of nesting of a JSON value: 0 for a scalar, 1 for `{}` and `[]`. */
function depthOf(value: unknown, bound: number): number {
  let level: unknown[] = [value];
  for (let depth = 0; ; depth++) {
    const containers = level.filter((item) => typeof item === "object" && item !== null);
    if (containers.length === 0 || depth > bound) return depth;
    level = containers.flatMap((item) => Object.values(item) as unknown[]);
  }
}

const { depth, bytes } = LIMITS.eventPayload;

export const eventBody = z.object({
  event_type: text(LIMITS.eventType.max, LIMITS.eventType.min),
  session_id: positiveInt.optional(),
  message_id: positiveInt.optional(),
  route: text(LIMITS.label).optional(),
  sub_intent: text(LIMITS.label).optional(),
  feedback_type: z.enum(["helpful", "inaccurate"]).optional(),
  event_payload: z
    .record(z.string(), z.unknown())
    .refine((value) => depthOf(value, depth) <= depth, {
      message: `must be nested at most ${depth} levels deep`,
      abort: true,
    })
    .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= bytes, {
      message: `must be at most ${bytes} bytes as JSON`,
    })
    .optional()
    .meta({ description: "Further fields, at most 16 levels deep and 16 KiB as JSON" }),
});

export const eventRecord = z
  .object({
    event_id: z.string(),
    event_type: z.string(),
    accepted: z.boolean(),
    stored: z.boolean().meta({ description: "false when the event log could not be written" }),
  })
  .meta({ id: "EventRecord" });
