import type { ChargedQuestion } from "../../../admin/charged-questions.ts";
import type { LedgerRow } from "../../../admin/ledger-reader.ts";
import { timeColumn, type Makings } from "../../terminal/print.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { showAge } from "../../framework/time-format.ts";

const REF_SHOWN = 13; // A reference is shortened to its first characters, by which --ref finds it.

/** An entry with what it charged for. */
export type WideRow = LedgerRow & Charge & { readonly route: string | null };
type Charge = Readonly<Pick<ChargedQuestion, "question" | "repeats_entry" | "seconds_after" | "repeat_key">>;

/** Which charge shortly before it a charge repeats. */
export const repeats = {
  repeats_entry: {
    show: ({ repeats_entry: entry, seconds_after, repeat_key: key }: Omit<Charge, "question">) =>
      entry === null ? "" : `${entry}, ${seconds_after} s later, ${key === "other" ? "other key" : "no key"}`,
  },
};

/** @param now ms since the epoch, for the age of an entry @param zone of the times that a terminal shows */
export const entryCells = (now: number, zone: string) =>
  ({
    created_at: timeColumn("created_at", zone),
    age: { of: ({ created_at }) => showAge(created_at, now) },
    balance_after: { show: ({ balance_after }) => String(balance_after ?? "?") },
    ref_id: { show: ({ ref_id }) => cleanLine(ref_id).slice(0, REF_SHOWN) },
  }) satisfies Makings<LedgerRow, "ledger">;
