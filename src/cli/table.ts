import Table from "cli-table3";
import { plain, type Column } from "./print.ts";
import type { Terminal } from "./terminal.ts";

const GAP = 2;
const LEAST_WIDTH = 12;

const NO_LINES = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
};

/** A table without lines. Numbers stand at the right; wide characters count two columns. */
export function drawTable<T extends object>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  terminal: Terminal,
): string {
  const cells = rows.map((row) => columns.map((column) => column.show?.(row, terminal) ?? plain(column.of(row))));
  const names = columns.map(({ name }) => name.replaceAll("_", " ").toUpperCase());
  const first = rows[0];
  const draw = (colWidths: (number | null)[]): string => {
    const table = new Table({
      head: names.map((name) => terminal.paint("bold", name)),
      chars: NO_LINES,
      style: { head: [], border: [], "padding-left": 0, "padding-right": GAP, compact: true },
      colAligns: columns.map(({ of }) => (first !== undefined && typeof of(first) === "number" ? "right" : "left")),
      colWidths,
    });
    table.push(...cells);
    return table.toString();
  };
  const natural = columns.map(() => null);
  const text = draw(natural);
  const flexible = columns.findIndex(({ wide }) => wide === true);
  const excess = widest(text) - terminal.columns;
  const fitted = flexible === -1 || excess <= 0 ? text : draw(shrunk(flexible, excess));
  return `${fitted.replace(/[ \t]+$/gm, "")}\n`;

  function shrunk(index: number, by: number): (number | null)[] {
    const own = Math.max(...[names[index]!, ...cells.map((row) => row[index]!)].map(widthOf)) + GAP;
    return columns.map((_, at) => (at === index ? Math.max(LEAST_WIDTH, own - by) : null));
  }
}

function widest(text: string): number {
  return Math.max(...text.split("\n").map(widthOf));
}

const COLOUR = /\u001b\[\d+m/g;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/gu;

/** Columns that a text takes on a terminal. */
function widthOf(text: string): number {
  const bare = text.replace(COLOUR, "");
  return Array.from(bare).length + (bare.match(WIDE)?.length ?? 0);
}
