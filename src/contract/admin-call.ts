import { z } from "zod";

/** The admin address's message for any path that it does not serve, including those of the API and the pages. */
export const NOT_AT_ADMIN = "Not found. This is the admin address: the API is served at the daemon's other address.";
/** A part of a command's output. */
export type OutputFrame = { readonly out: string } | { readonly err: string };
/** The end of a command: its exit code, or a question; the call is repeated with `yes` then. */
export type LastFrame = { readonly exit: number } | { readonly ask: string };
const toggle = z.boolean().default(false);
const columns = z.int().min(1).max(10_000).default(80);

/** The output settings of a command: fields of every body, besides the command's own. */
export const outputSchema = z.object({
  format: z.enum(["table", "tsv", "json", "jsonl", "csv"]).optional(),
  quiet: toggle,
  terminal: z
    .strictObject({ columns, colour: toggle, stdout: toggle, stderr: toggle, ask: toggle })
    .prefault({})
    .meta({ description: "The caller's terminal: which streams are one, and whether a question can be answered" }),
});
