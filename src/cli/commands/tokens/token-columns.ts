import type { Column } from "../../terminal/column.ts";
import { showAge } from "../../framework/time-format.ts";
import type { TokenRow } from "../../../admin/token-state.ts";

/** @param now ms since the epoch, for the age of a token */
export function tokenColumns(now: number): readonly Column<TokenRow>[] {
  return [
    { name: "id", of: ({ id }) => id },
    { name: "start", of: ({ start }) => start, show: ({ start }) => (start === undefined ? "-" : `${start}…`) },
    { name: "label", of: ({ label }) => label, wide: true },
    { name: "created_at", of: ({ created_at }) => created_at, show: ({ created_at }) => showAge(created_at, now) },
    {
      name: "expires_at",
      of: ({ expires_at }) => expires_at,
      show: ({ expires_at }) => (expires_at === null ? "never" : showAge(expires_at, now)),
    },
    { name: "state", of: ({ state }) => state },
  ];
}
