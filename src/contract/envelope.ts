import { z } from "zod";

/** The envelope of a success around `data`. */
export function successEnvelope<T extends z.ZodType>(
  data: T,
): z.ZodObject<{
  success: z.ZodLiteral<true>;
  code: z.ZodLiteral<0>;
  message: z.ZodString;
  data: T;
  request_id: z.ZodString;
}> {
  return z.object({
    success: z.literal(true),
    code: z.literal(0),
    message: z.string(),
    data,
    request_id: z.string(),
  });
}

/** The envelope of a failure. */
export const errorEnvelope = z
  .object({
    success: z.literal(false),
    code: z.int().meta({ description: "Code of the error catalogue" }),
    message: z.string(),
    request_id: z.string(),
    errors: z
      .array(z.object({ in: z.enum(["query", "body", "header", "path"]), path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "With 422: every field error found" }),
    detail: z.string().optional().meta({ description: "With 500: what could not be done" }),
  })
  .meta({ id: "ErrorEnvelope" });
