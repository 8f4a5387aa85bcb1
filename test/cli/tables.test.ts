import { expect, it } from "vitest";
import { tableColumns } from "../../src/cli/terminal/column.ts";
import TABLES from "../../src/cli/terminal/tables.json" with { type: "json" };
import { fixedClock } from "../../src/runtime/clock.ts";

const clock = fixedClock(Date.parse("2026-11-20T03:00:00Z"));
const terminal = { paint: (_style: string, text: string) => text } as never;

/** What a terminal shows of a table's columns in a row, by their names. */
function shown(table: keyof typeof TABLES, row: object): Record<string, string | undefined> {
  const columns = tableColumns<object, "days">({ clock }, { table, zone: "+08:00" } as never);
  return Object.fromEntries(columns.map(({ name, show }) => [name, show?.(row, terminal)]));
}

it("shows the values of a row as its table says, also at a path, and where there are none", () => {
  const row = {
    free_daily_quota: null,
    created_at: "2026-11-20T00:00:00.000Z",
    erased: { at: "2026-11-20T01:00:00Z" },
  };
  expect(shown("users", row)).toMatchObject({
    free_daily_quota: "default",
    created_at: "2026-11-20 08:00:00",
    erased_at: "2026-11-20 09:00:00",
  });
  expect(shown("users", {})).toMatchObject({ free_daily_quota: "default", erased_at: undefined });
  expect(shown("ledger", row)).toMatchObject({ created_at: "2026-11-20 08:00:00", age: "3 h ago", balance_after: "?" });
  expect(shown("tokens", row)).toMatchObject({ start: "-", created_at: "3 h ago", expires_at: "never" });
});

it("knows how to show every column of every table", () => {
  const unknown = Object.entries(TABLES).flatMap(([table, { columns }]) =>
    Object.entries(columns as Record<string, { as?: string; of?: string }>).flatMap(([name, { as, of = name }]) => {
      const row = of.split(".").reduceRight<unknown>((value, key) => ({ [key]: value }), "2026-11-20T00:00:00Z");
      const text = shown(table as keyof typeof TABLES, row as object)[name];
      return as === undefined || typeof text === "string" ? [] : `${table}: ${name} as ${as}`;
    }),
  );
  expect(unknown).toEqual([]);
});
