import type { ChargedQuestion } from "../../../admin/charged-questions.ts";
import type { LedgerRow } from "../../../admin/ledger-reader.ts";

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
