import { FORMAT_MEANINGS } from "../framework/global-flags.ts";
import { twoColumns } from "./help-columns.ts";

/** How data is printed. */
export function formats(): string {
  return `stdout carries only data; hints, questions, progress and logs go to stderr.

${twoColumns(Object.entries(FORMAT_MEANINGS))}
Without --format, a terminal gets a table and a pipe gets tsv; exports are jsonl. tsv, csv, jsonl and json keep
ISO 8601 times and integers. table and tsv remove control characters from texts of users and feeds.
No results is not a failure. When the reader closes the pipe (| head), a command ends quietly with exit code 0.
`;
}
