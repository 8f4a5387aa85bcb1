import { z } from "zod";

/** Length in Unicode code points. */
export const codePoints = (text: string) => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

// Patterns for the document. They match the same with and without the flag `u`, and with the engines of other languages.
const CARRIED = String.raw`(?:[^\u0000\uD800-\uDFFF]|[\uD800-\uDBFF][\uDC00-\uDFFF])`;
const VISIBLE = CARRIED.replace("[^", String.raw`[^\s`);

/** The pattern of portable texts, see {@link isPortable}, that are not blank unless `min` is 0. */
export function portablePattern(min: number): string {
  if (min === 0) return `^${CARRIED}*$`;
  return min === 1 ? `^${CARRIED}*${VISIBLE}${CARRIED}*$` : `^\\s*${VISIBLE}${CARRIED}*${VISIBLE}\\s*$`;
}

/** Whether every storage and client can carry the text: it has no NUL and no lone surrogate. */
export const isPortable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** A trimmed string of `min` to `max` code points that is portable, see {@link isPortable}. */
export const text = (max: number, min = 1): z.ZodString =>
  z
    .string()
    .trim()
    .refine((value) => codePoints(value) >= min, {
      message: min === 1 ? "must not be empty" : `must have at least ${min} characters`,
      abort: true,
    })
    .refine((value) => codePoints(value) <= max, { message: `must have at most ${max} characters` })
    .refine(isPortable, { message: "must be well-formed Unicode without NUL" })
    .meta({ minLength: min, maxLength: max, pattern: portablePattern(min) });

/** An object that the OpenAPI document has as a component of this name. */
export const named = <T extends z.ZodRawShape>(id: string, shape: T): z.ZodObject<T> => z.object(shape).meta({ id });

export const positiveInt = z.int().min(1); // A positive integer up to 2^53 - 1.
/** An integer from 1 to `most`, with a default. */
export const limitSchema = (max: number, fallback: number) => z.int().min(1).max(max).default(fallback);
export const count = z.int().min(0); // An integer of at least 0.
export const timestamp = z.iso.datetime({ offset: true }); // ISO 8601 timestamp with an offset.

export const language = z.enum(["zh", "en"]); // The languages that content is sorted by and answers are written in.

export type Language = z.infer<typeof language>;
export const sentimentLabel = z.enum(["positive", "neutral", "negative"]);
/** The direction of a text or of the market. */
export type Sentiment = z.infer<typeof sentimentLabel>;

/** The description of a text of other sites. */
export const PLAIN_TEXT = "Plain text: escape it in HTML or Markdown";
