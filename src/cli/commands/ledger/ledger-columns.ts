import type { ChargedQuestion } from "../../../admin/charged-questions.ts";
import type { LedgerRow } from "../../../admin/ledger-reader.ts";
import { columnsOf, timeColumn, type Column } from "../../terminal/column.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { showDelta } from "../../terminal/print.ts";
import { showAge } from "../../framework/time-format.ts";

const REF_SHOWN = 13; // A reference is shortened to its first characters, by which --ref finds it.

/** An entry with what it charged for. */
export type WideRow = LedgerRow & Charge & { readonly route: string | null };
type Charge = Readonly<Pick<ChargedQuestion, "question" | "repeats_entry" | "seconds_after" | "repeat_key">>;

/** What was asked, and which charge shortly before it repeats. */
export const repeatColumns = columnsOf<Omit<Charge, "question">>(
  {
    name: "repeats_entry",
    title: "repeats",
    show: ({ repeats_entry: entry, seconds_after, repeat_key: key }) =>
      entry === null ? "" : `${entry}, ${seconds_after} s later, ${key === "other" ? "other key" : "no key"}`,
  },
  { name: "seconds_after", machine: true },
  { name: "repeat_key", machine: true },
);

/** The columns of `--wide`: with the question, and by whom and why an entry was made. */
export function wideColumns(narrow: readonly Column<LedgerRow>[]): readonly Column<WideRow>[] {
  const shown = narrow.map((column): Column<LedgerRow> => {
    if (column.name !== "reason" && column.name !== "actor") return column;
    const { machine: _machine, ...forPeople } = column;
    return forPeople;
  });
  return [...shown, { name: "route", spare: true }, ...repeatColumns, { name: "question", wide: true }];
}

/** @param now ms since the epoch, for the age of an entry @param zone of the times that a terminal shows */
export const ledgerColumns = (now: number, zone: string): readonly Column<LedgerRow>[] => [
  { name: "id" },
  timeColumn("created_at", zone),
  { name: "age", of: ({ created_at }) => showAge(created_at, now), person: true, spare: true },
  { name: "type" },
  { name: "delta", show: showDelta },
  { name: "balance_after", title: "balance", show: ({ balance_after }) => String(balance_after ?? "?") },
  { name: "description", wide: true },
  { name: "ref_id", title: "ref", show: ({ ref_id }) => cleanLine(ref_id).slice(0, REF_SHOWN), spare: true },
  { name: "reason", machine: true },
  { name: "actor", machine: true },
  { name: "reverses", machine: true },
];
