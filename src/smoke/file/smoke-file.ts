import { z } from "zod";
import { isInstantText, INSTANT_RULE } from "../run/instant-text.ts";

/** What is expected at one place of an answer: a value, or matchers. Read by {@link checkExpectation}, not by zod. */
export const expectation = z.unknown().meta({ id: "Expectation" });
const optional = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape).partial();
const text = z.string().min(1);

const duration = z
  .string()
  .regex(/^(\d{1,8}(\.\d+)?ms|\d{1,5}(\.\d+)?s)$/, "must be a duration such as 500ms or 2s, below 100000s")
  .meta({ id: "Duration", examples: ["500ms", "2s"] });

/** Most concurrent copies of a request: each needs two open files if the daemon is in this process. */
export const MAX_AT_ONCE = 200;
const AT_ONCE = `must be an integer from 2 to ${MAX_AT_ONCE}, or rows`;

const NAMED = "must be true, or a name of letters, digits, _ and -"; // It becomes part of a file's name.

const headers = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;

const tags = z.array(z.string().regex(/^[\w.-]+$/, "must be a word of letters, digits, _, - and ."));
const csv = z.string().regex(/\.csv$/i, "must be a list of objects, or the name of a CSV file beside this one");
export const MAX_ROWS = 10_000;
const rows = z.union([z.array(z.record(z.string(), z.unknown())).min(1).max(MAX_ROWS), csv]);
const FORM = "must be METHOD /path, such as GET /api/v1/ai/me; --url has the address";
const scalar = z.union([z.string(), z.number()]);

const step = optional({
  id: z.string().regex(/^[A-Za-z][\w-]*$/, "must be a word of letters, digits, _ and -"),
  name: text,
  token: z.string().nullable(),
  query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(scalar)])),
  headers,
  body: z.unknown(),
  raw: z.string(),
  expect: optional({
    status: expectation,
    code: expectation,
    data: expectation,
    body: expectation,
    headers: z.record(z.string(), expectation),
    text: expectation,
    snapshot: z.union([z.literal(true), z.string().regex(/^[\w-]{1,64}$/, NAMED)], NAMED),
    mask: z.array(text),
    time: expectation,
    counts: z.record(z.string(), expectation),
  }),
  now: z
    .string()
    .refine((typed) => typed.includes("${") || isInstantText(typed), { message: INSTANT_RULE })
    .meta({ id: "Moment", examples: ["+1d", "midnight", "2026-11-21T00:00:00Z"] }),
  at_once: z.union([z.literal("rows"), z.int().min(2).max(MAX_AT_ONCE)], AT_ONCE),
  retry: z.strictObject({ times: z.int().min(1).max(1000), every: duration.default("500ms") }),
  timeout: duration,
  rows,
  tags,
  only: z.literal(true),
  skip: text,
})
  .extend({ request: z.string().regex(new RegExp(`^(${METHODS.join("|")}) /\\S*$`), FORM) })
  .meta({ id: "Step" });

/** A smoke file: its daemon, the steps, and the cleanup. `smoke-file.json` describes the keys. */
export const smokeFile = optional({
  name: text,
  fixtures: text,
  now: z.iso.datetime({ offset: true }),
  seed: text,
  faults: z.array(z.string()),
  config: z.record(z.string(), z.unknown()),
  users: z.record(z.string(), optional({ free_daily_quota: z.int().min(0), points: z.int().min(0) })),
  defaults: optional({ token: z.string().nullable(), headers, mask: z.array(text), timeout: duration }),
  vars: z.record(z.string(), z.unknown()),
  secrets: z.array(z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of an environment variable, as DB_PASSWORD")),
  tags,
  rows,
  setup: z.array(step),
  cleanup: z.array(step),
})
  .extend({ steps: z.array(step).min(1) })
  .meta({ title: "anp smoke file" });

export type SmokeContent = z.infer<typeof smokeFile>;
/** One request and what is expected of its answer, as written in the file. */
export type Step = z.infer<typeof step>;
/** One object of `rows`. */
export type Row = Readonly<Record<string, unknown>>;
/** The lists of steps, in the order in which they run. */
export const PHASES = ["setup", "steps", "cleanup"] as const;
/** A step with its place in the file: `index` is counted from 0 in its list. */
export type PlacedStep = ReturnType<typeof stepsOf>[number];

export const stepsOf = (content: SmokeContent) =>
  PHASES.flatMap((phase) => (content[phase] ?? []).map((step, index) => ({ phase, index, step })));

/** The rows that a step runs with, those of the file first; none if it runs once, without a row. */
export function rowsOf(content: SmokeContent, { phase, step }: PlacedStep): readonly Row[] {
  const [outer, inner] = [phase === "steps" ? listOf(content.rows) : [], listOf(step.rows)];
  if (outer.length === 0) return inner;
  return inner.length === 0 ? outer : outer.flatMap((row) => inner.map((own) => ({ ...row, ...own })));
}

/** Rows as a list. The name of a file is replaced by its rows when the smoke file is read. */
export const listOf = (given: Step["rows"]): readonly Row[] => (Array.isArray(given) ? given : []);
export const toMs = (typed: string): number => Number.parseFloat(typed) * (typed.endsWith("ms") ? 1 : 1000);
