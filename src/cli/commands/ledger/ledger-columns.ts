import type { LedgerRow } from "../../../admin/ledger-reader.ts";
import type { Column } from "../../terminal/column.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { showDelta } from "../../terminal/print.ts";
import { showAge, showLocal } from "../../framework/time-format.ts";

/** A reference is shortened to its first characters, by which --ref finds it. */
const REF_SHOWN = 13;

/** @param now ms since the epoch, for the age of an entry */
export function ledgerColumns(now: number): readonly Column<LedgerRow>[] {
  return [
    { name: "id" },
    { name: "created_at", show: ({ created_at }) => showLocal(created_at) },
    { name: "age", of: ({ created_at }) => showAge(created_at, now), person: true, spare: true },
    { name: "type" },
    { name: "delta", show: ({ delta }, terminal) => showDelta(delta, terminal) },
    { name: "balance_after", title: "balance", show: ({ balance_after }) => String(balance_after ?? "?") },
    { name: "description", wide: true },
    { name: "ref_id", title: "ref", show: ({ ref_id }) => cleanLine(ref_id).slice(0, REF_SHOWN), spare: true },
  ];
}
