import { UsageError } from "../../framework/command.ts";
import { optional, repeatable, type Values, anyText, text } from "../../params/param.ts";
import { since, until } from "../../framework/time-format.ts";
import type { Selection } from "../../../admin/ledger-reader.ts";

const MIN_REF_LENGTH = 6;

export const rangeFlags = { since: optional(since), until: optional(until) };
/** The same of commands that sum up or rank: without --since, of the last 30 days. */
export const recentFlags = { ...rangeFlags, since: { ...optional(since), missing: () => since("30d") } };

const choices = async () => (await import("../../../contract/schemas/points-schemas.ts")).entryType.options;

export const selectionFlags = { type: { ...repeatable(anyText), choices }, ...rangeFlags, ref: optional(reference) };

function reference(typed: string): string {
  const ref = text(128)(typed);
  if (Array.from(ref).length < MIN_REF_LENGTH) throw new RangeError(`must have at least ${MIN_REF_LENGTH} characters`);
  return ref;
}

/** @param zone in which a bare day is one @throws UsageError when the range ends before it starts */
export function selectionOf(values: Partial<Values<typeof selectionFlags>>, now: number, zone: string): Selection {
  const from = values.since?.(now, zone);
  const to = values.until?.(now, zone);
  if (from !== undefined && to !== undefined && from > to) throw new UsageError("--since must not be after --until.");
  return { types: values.type ?? [], since: from, until: to, ref: values.ref };
}
