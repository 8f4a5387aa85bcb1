import { expect, it } from "vitest";
import { tableColumns } from "../../src/cli/terminal/column.ts";
import TABLES from "../../src/cli/terminal/tables.json" with { type: "json" };
import { drawRows, layoutColumns } from "../../src/cli/terminal/table.ts";
import { cutToWidth } from "../../src/cli/terminal/text-width.ts";
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

it.each([80, 100])("shows on %d columns of a terminal whether an answer was charged", (columns) => {
  const screen = { ...(terminal as object), columns, interactive: true } as never;
  const rows = [
    "问答（help/withdrawal），使用免费次数",
    "问答（account/balance），不收费",
    "Answer (research/comparison), free use",
    "Answer (account/balance), no charge",
    "Adjustment: paid twice by card, see ticket 4711 of the desk",
  ].map((description) => ({
    ...{ id: 12, created_at: "2026-11-20T00:00:00.000Z", type: "chat_cost", delta: -1, balance_after: 1234567 },
    ...{ description, ref_id: "r0mwpfnc6pacn19nn5ugkcco7k", reason: "", actor: "", reverses: null },
  }));
  const table = tableColumns<(typeof rows)[number], "ledger">({ clock }, { table: "ledger", zone: "+08:00" });
  const text = drawRows(rows, layoutColumns(rows, table, screen), screen, false);
  const ends = text
    .trimEnd()
    .split("\n")
    .map((line) => /…[^…]*?(?=  r0mwpfnc6pacn|$)/.exec(line)?.[0]);
  expect(ends).toEqual(["…使用免费次数", "…不收费", "…free use", "…no charge", "…"]);
});

it("cuts a text to its width, and keeps an outcome at its end only where it has room", () => {
  const text = "Answer (help/fees), free use";
  expect([28, 27, 14, 9, 8].map((width) => cutToWidth(text, width))).toEqual([
    text,
    "Answer (help/fees)…free use",
    "Answe…free use",
    "…free use",
    "Answer …",
  ]);
  expect(cutToWidth("问答（help/fees），使用免费次数", 14)).toBe("…使用免费次数");
  expect(cutToWidth("\u001b[31mrefused\u001b[39m", 3)).toBe("\u001b[31mrefused\u001b[39m");
});
