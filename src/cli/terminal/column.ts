import { cleanLine } from "./clean-text.ts";
import type { Terminal } from "./terminal.ts";

/** What a cell may hold. */
export type Cell = string | number | boolean | null | undefined | readonly string[];

/** One column: its name in machine formats, and its value of a row. */
export interface Column<T> {
  readonly name: string;
  readonly of: (row: T) => Cell;
  /** How a terminal shows it, where that is not the plain value. */
  readonly show?: (row: T, terminal: Terminal) => string;
  /** Takes what is left of the terminal's width, and is cut where that is too little. */
  readonly wide?: true;
  /** Left out where the terminal is too narrow for all columns. */
  readonly spare?: true;
  /** For programs alone: a terminal has no room for it. */
  readonly machine?: true;
  /** For people alone: a program can tell it from the other columns. */
  readonly person?: true;
  /** What a terminal calls it, where that is not its name. */
  readonly title?: string;
}

/** A cell as text for people and for tab-separated lines: one line, no control characters. */
export function plain(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  return cleanLine(Array.isArray(cell) ? cell.join("; ") : String(cell));
}
