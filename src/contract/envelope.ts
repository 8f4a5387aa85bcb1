import { z } from "zod";

/** The envelope of a success around `data`. */
export const successEnvelope = <T extends z.ZodType>(data: T) =>
  z.object({ success: z.literal(true), code: z.literal(0), message: z.string(), data, request_id: z.string() });

const fieldError = z.object({ in: z.enum(["query", "body", "header", "path"]), path: z.string(), message: z.string() });
const fieldErrors = z.array(fieldError).min(1).meta({ description: "Every field error found" });

const detail = z.string().meta({ description: "What could not be done" });
const head = { success: z.literal(false), code: z.int(), message: z.string(), request_id: z.string() };

/** The envelope of a failure, whatever its code. */
export const errorEnvelope = z.object({ ...head, errors: fieldErrors.optional(), detail: detail.optional() });

/** The envelope of a failure with this code: a 422 has `errors`, a 500 a `detail`, and no other has either. */
export function errorEnvelopeOf(code: number): z.ZodObject {
  const more = code === 422 ? { errors: fieldErrors } : code === 500 ? { detail } : {};
  return z.object({ ...head, code: z.literal(code), ...more });
}
