import { z } from "zod";
import { LIMITS } from "../contract/field-bounds.ts";
import { codePoints } from "../contract/schemas/shared-fields.ts";
import { eventBody } from "../contract/schemas/event-schemas.ts";
import { toIso } from "../runtime/clock.ts";

const bounded = (max: number): z.ZodString =>
  z
    .string()
    .min(1, { message: "must not be empty", abort: true })
    .refine((value) => codePoints(value) <= max, { message: `must have at most ${max} characters` });

/** An event as a caller submits it: the body of the API, and the user. */
export const newEvent = z.strictObject({ user_id: bounded(LIMITS.userId), ...eventBody.shape });
export type NewEvent = z.infer<typeof newEvent>;

/** An event as the log holds it. Looser than {@link newEvent}, which was checked when it was recorded: tighter bounds
 * of a later build must not make old events unreadable. */
const storedEvent = z.strictObject({
  created_at: z.iso.datetime({ precision: 3 }), // In UTC; its date says which day's log holds the event.
  user_id: z.string(),
  event_type: z.string(),
  session_id: z.int().optional(),
  message_id: z.int().optional(),
  route: z.string().optional(),
  sub_intent: z.string().optional(),
  feedback_type: z.enum(["helpful", "inaccurate"]).optional(),
  event_payload: z.record(z.string(), z.unknown()).optional(),
  source_id: z.string().optional(), // Its id in the export it was replayed from, or a hash of its idempotency key.
});
export type StoredEvent = z.infer<typeof storedEvent>;
/** The unit of an append. A writer recognises its own batch by `batch_id` after a lost reply. */
export const batch = z.strictObject({ batch_id: z.string(), events: z.array(storedEvent).min(1) });
export type Batch = z.infer<typeof batch>;

const ID_RULE = `must be an integer or a string of 1 to ${LIMITS.refId} characters`;

/** An event in an export: one line of JSON. The id may be absent or a number; times are converted to UTC. */
export const exportedEvent = z.strictObject({
  event_id: z.union([bounded(LIMITS.refId), z.int().transform(String)], { error: ID_RULE }).optional(),
  created_at: z.iso
    .datetime({ offset: true })
    .transform((value) => toIso(Date.parse(value)))
    .refine((value) => /^\d{4}-/.test(value), { message: "must be in the years 0000 to 9999" }),
  ...newEvent.shape,
});
