import { z } from "zod";
import { LIMITS } from "../field-bounds.ts";
import { isRecord } from "../../runtime/json/json-values.ts";
import { fillTemplate } from "../../runtime/text/fill-template.ts";
import { isPortable, named, portablePattern, positiveInt, text } from "./shared-fields.ts";
import TEXTS from "./payload-texts.json" with { type: "json" };

/** Whether a JSON value is nested at most so deeply: a scalar is 0 deep, `{}` and `[]` are 1. */
function isWithinDepth(value: unknown, bound: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return bound > 0 && Object.values(value).every((item) => isWithinDepth(item, bound - 1));
}

/** Values of a payload that not every JSON reader preserves, with their paths. */
function lossy(value: unknown, path: readonly string[] = []): { path: readonly string[]; message: string }[] {
  if (typeof value === "string") return isPortable(value) ? [] : [{ path, message: TEXTS.text }];
  if (typeof value === "number") return Math.abs(value) <= LIMITS.integer ? [] : [{ path, message: TEXTS.number }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const at = [...path, key];
    return isPortable(key) ? lossy(item, at) : [{ path: at, message: TEXTS.name }];
  });
}

const { depth, bytes } = LIMITS.eventPayload;
const PAYLOAD = {
  description: fillTemplate(TEXTS.description, { depth, bytes }),
  propertyNames: { pattern: portablePattern(0) },
  additionalProperties: { $ref: "#/components/schemas/PayloadValue" },
};

/** Checks the bounds of a payload first: zod takes longer to copy it than to read the whole request. */
function checkBounds(value: Readonly<Record<string, unknown>>, context: z.RefinementCtx) {
  const isLong = isRecord(value) && Object.keys(value).length > bytes / 5; // Of at least five bytes, as `"":0,`.
  if (!isLong && !isWithinDepth(value, depth)) context.addIssue(fillTemplate(TEXTS.depth, { depth }));
  else if (isLong || (isRecord(value) && Buffer.byteLength(JSON.stringify(value)) > bytes))
    context.addIssue(`must be at most ${bytes} bytes as JSON`);
  return value;
}

export const eventBody = z.object({
  event_type: text(LIMITS.eventType.max, LIMITS.eventType.min),
  session_id: positiveInt.optional(),
  message_id: positiveInt.optional(),
  route: text(LIMITS.label).optional(),
  sub_intent: text(LIMITS.label).optional(),
  feedback_type: z.enum(["helpful", "inaccurate"]).optional(),
  event_payload: z
    .preprocess(checkBounds, z.record(z.string(), z.unknown()))
    .superRefine((value, context) => {
      for (const { path, message } of lossy(value)) context.addIssue({ code: "custom", path: [...path], message });
    })
    .optional()
    .meta(PAYLOAD),
});

export const eventRecord = named("EventRecord", {
  event_id: z.string(),
  event_type: z.string(),
  accepted: z.boolean(),
  stored: z.boolean().meta({ description: "false when the event log could not be written" }),
});
