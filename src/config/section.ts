import { z } from "zod";
import { offsetMinutes } from "../runtime/clock.ts";

/** A section of the configuration. It may be left out: then each of its keys has its default. */
export const section = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape).prefault({} as never);

/** A zone as the difference of its clocks from UTC. */
export const utcOffset = z
  .string()
  .refine((value) => offsetMinutes(value) !== undefined, "must be an offset such as +08:00, at most 14 hours");

/** A schema with an example value for the commented configuration, for a key without a default. */
export const example = <T extends z.ZodType>(schema: T, value: z.output<T>): T => schema.meta({ examples: [value] });

/** A whole number with a default, its bounds included. */
export const integer = ([min, max]: readonly [number, number], fallback: number) =>
  (max === Infinity ? z.int().min(min) : z.int().min(min).max(max)).default(fallback);
