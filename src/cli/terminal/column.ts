import { cleanLine } from "./clean-text.ts";
import type { Terminal } from "./terminal.ts";

/** What a cell may hold. */
export type Cell = string | number | boolean | null | undefined | readonly string[];

/** One column: its name in machine formats, and its value of a row. */
export interface Column<T> {
  readonly name: string;
  readonly of: (row: T) => Cell;
  /** How a terminal shows it, if not as the plain value. */
  readonly show?: (row: T, terminal: Terminal) => string;
  /** Gets the rest of the terminal's width, and is truncated if that is too narrow. */
  readonly wide?: true;
  /** Left out if the terminal is too narrow for all columns. */
  readonly spare?: true;
  /** Only in machine formats: a terminal has no room for it. */
  readonly machine?: true;
  /** Only on a terminal: a program can derive it from the other columns. */
  readonly person?: true;
  /** Its heading on a terminal, if not its name. */
  readonly title?: string;
}

/** A cell as text for people and for tab-separated lines: one line, no control characters. */
export function plain(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  return cleanLine(Array.isArray(cell) ? cell.join("; ") : String(cell));
}
