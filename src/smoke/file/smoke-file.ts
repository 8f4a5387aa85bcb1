import { z } from "zod";
import { isMoment, MOMENT } from "../run/moment.ts";

/** What is expected at one place of an answer: a value, or matchers. Read by {@link checkExpectation}, not by zod. */
export const expectation = z.unknown().meta({ id: "Expectation" });

const text = z.string().min(1);

const duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s)$/, { message: "must be a duration such as 500ms or 2s" })
  .meta({ id: "Duration", examples: ["500ms", "2s"] });

/** Most copies of a request at the same moment: each needs two open files where the daemon is in this process. */
const MOST_AT_ONCE = 200;

const moment = z
  .string()
  .refine((typed) => typed.includes("${") || isMoment(typed), { message: MOMENT })
  .meta({ id: "Moment", examples: ["+1d", "midnight", "2026-11-21T00:00:00Z"] });

/** What the name of a snapshot must be: it becomes part of a file's name. */
const NAMED = "must be true, or a name of letters, digits, _ and -";

const mask = z
  .array(z.string().min(1))
  .describe(
    "Fields that snapshots do not compare except for their type: a name at any depth, or a path as data.items.id",
  );

const headers = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;

const expectations = z
  .strictObject({
    status: expectation.optional().describe("HTTP status; without it, the status of `code`, else 200"),
    code: expectation.optional().describe("The envelope's code, as 0, 422 or 1005"),
    data: expectation.optional().describe("The envelope's data"),
    body: expectation.optional().describe("The whole body"),
    headers: z.record(z.string(), expectation).optional().describe("Headers of the answer, by name in any case"),
    text: expectation.optional().describe("The body as text, for pages that are not JSON"),
    snapshot: z
      .union([z.literal(true), z.string().regex(/^[\w-]{1,64}$/, { message: NAMED })], { message: NAMED })
      .optional()
      .describe("Name of a snapshot beside this file that the body has to equal; true for the step's id"),
    mask: mask.optional(),
    time: expectation.optional().describe("How long the answer took, in milliseconds"),
    counts: z
      .record(z.string(), expectation)
      .optional()
      .describe("With at_once: how many answers have each status or code, and no other, as { 200: 8, 429: 12 }"),
  })
  .describe("What is expected of the answer; it may have further fields");

const retry = z
  .strictObject({
    times: z.int().min(1).max(1000).describe("Number of retries"),
    every: duration.default("500ms").describe("Wait before each retry"),
  })
  .describe("Repeats the request until the answer matches");

const step = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z][\w-]*$/, { message: "must be a word of letters, digits, _ and -" })
      .optional()
      .describe("Name of the answer in later steps: ${id.data.balance}"),
    name: text.optional().describe("Title of the step in reports"),
    request: z
      .string()
      .regex(new RegExp(`^(${METHODS.join("|")}) /\\S*$`), {
        message: "must be METHOD /path, such as GET /api/v1/ai/me",
      })
      .describe("Method and path, as GET /api/v1/ai/me"),
    token: z.string().nullable().optional().describe("The X-User-Token header; null for none"),
    query: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))]))
      .optional()
      .describe("Query parameters; a list gives a parameter several times"),
    headers: headers.optional().describe("Further headers; null removes one"),
    body: z
      .unknown()
      .optional()
      .describe("The body, sent as JSON; { $repeat: [text, n] } is a string repeated n times"),
    raw: z.string().optional().describe("The body, sent unchanged; for bodies that are not JSON"),
    expect: expectations.optional(),
    now: moment
      .optional()
      .describe(
        "Sets the clock of the file's daemon before the request: +1d, midnight (of quota.timezone), an instant",
      ),
    at_once: z
      .int()
      .min(2)
      .max(MOST_AT_ONCE)
      .optional()
      .describe("Sends the request so many times at the same moment, each on its own connection"),
    retry: retry.optional(),
    timeout: duration.optional().describe("Longest wait for the answer, 30s by default"),
  })
  .meta({ id: "Step" });

/** A smoke file: its daemon, the steps, and the cleanup. */
export const smokeFile = z
  .strictObject({
    name: text.optional().describe("Title of the file in reports"),
    fixtures: text
      .optional()
      .describe("The daemon's data: demo (the default), or a fixture's folder, relative to this file"),
    now: z.iso
      .datetime({ offset: true })
      .optional()
      .describe("The instant that the daemon's clock shows; the fixture's own by default"),
    seed: text.optional().describe("Seed of the daemon's ids, so that they repeat; `smoke` by default"),
    faults: z.array(z.string()).optional().describe("Faults to inject, as model=timeout; see `anp help faults`"),
    config: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Configuration that overrides the fixture's, as exchange: { rate: 100 }"),
    defaults: z
      .strictObject({
        token: z.string().nullable().optional().describe("Token of steps without their own"),
        headers: headers.optional().describe("Headers of every request"),
        mask: mask.optional(),
        timeout: duration.optional().describe("Longest wait for an answer"),
      })
      .optional()
      .describe("Defaults of every step"),
    steps: z.array(step).min(1).describe("Requests, one after another"),
    cleanup: z.array(step).optional().describe("Steps that run at the end, also after a failure"),
  })
  .meta({ title: "anp smoke file" });

export type SmokeContent = z.infer<typeof smokeFile>;

/** One request and what is expected of its answer, as written in the file. */
export type Step = z.infer<typeof step>;

/** Milliseconds of a duration. */
export function toMs(typed: string): number {
  return Number.parseFloat(typed) * (typed.endsWith("ms") ? 1 : 1000);
}
