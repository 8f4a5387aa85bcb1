import { UsageError } from "../../framework/exit.ts";
import { optional, repeatable, type Values, anything, text } from "../../framework/param.ts";
import { since, until } from "../../framework/time-format.ts";
import type { Selection } from "../../../admin/ledger-reader.ts";

const SHORTEST_REF = 6;

/** The flags that select entries of a ledger. */
export const selectionFlags = {
  type: {
    ...repeatable("type", "only entries of this type; repeat it for more types", anything),
    choices: async () => (await import("../../../contract/schemas/points-schemas.ts")).entryType.options,
  },
  since: optional("when", "first instant: a day, an instant, or a time ago as 2h or 3d", since),
  until: optional("when", "last instant, as --since; of a day, its end", until),
  ref: optional("ref", `only entries whose reference begins with this (${SHORTEST_REF} characters or more)`, reference),
};

function reference(typed: string): string {
  const ref = text(128)(typed);
  if (Array.from(ref).length < SHORTEST_REF) throw new RangeError(`must have at least ${SHORTEST_REF} characters`);
  return ref;
}

/** @throws UsageError when the range ends before it starts */
export function selectionOf(values: Values<typeof selectionFlags>, now: number): Selection {
  const from = values.since?.(now);
  const to = values.until?.(now);
  if (from !== undefined && to !== undefined && from > to) throw new UsageError("--since must not be after --until.");
  return { types: values.type, since: from, until: to, ref: values.ref };
}
