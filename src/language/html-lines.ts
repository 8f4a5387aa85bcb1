const COMMENT = /<!--[^]*?(?:-->|$)/g;
const SCRIPT = /<(script|style)\b[^<>]*>[^]*?(?:<\/\1\s*>|$)/gi;
const BLOCK_TAG = /<\/?(?:p|div|br|li|ul|ol|h[1-6]|tr|table|blockquote|section|article|figure|hr)\b[^<>]*>/gi;
const SPACE_TAG = /<\/?(?:td|th|img)\b[^<>]*>/gi;
const TAG = /<(?:\/?[a-z]|!doctype\b|\?xml\b)[^<>]*>/gi;
const CDATA = /<!\[CDATA\[|\]\]>/g;

/** HTML without tags, comments, scripts and styles; a block begins a line. A `<` that does not open a tag is kept. */
export const withoutTags = (html: string): string =>
  html
    .replace(COMMENT, " ")
    .replace(SCRIPT, " ")
    .replace(BLOCK_TAG, "\n")
    .replace(SPACE_TAG, " ")
    .replace(TAG, "")
    .replace(CDATA, "");

const IS_HTML = /^\s*<[a-z!][^]*<\/(?:p|div|li|ol|ul|td|tr|table|h[1-6])\b/i; // Where the end of a line is but a blank.
const KEEPS_LINES = /^(?:#{1,6}|[-*+]|\d{1,2}\.|\|)[ \t]|<pre\b/im; // As Markdown does.
const TOGETHER = "\u0001"; // Behind an item or a row: the next one follows in the same paragraph.

/** An article in HTML with its lists and tables as Markdown has them: an item is a line that begins with a hyphen or its
 * number, `2.` or within an item `2.1`, and the cells of a row stand between bars. Linear in the length of the text.
 * @example
 * withListsAndRows("<ol><li>Open</li><li>Close</li></ol>"); // "\n\n1. Open\n2. Close\n" */
export function withListsAndRows(article: string): string {
  const isHtml = IS_HTML.test(article) && !KEEPS_LINES.test(article);
  const html = (isHtml ? article.replace(/\s+/g, " ") : article).replace(COMMENT, " ").replace(SCRIPT, " ");
  return withItems(withRows(html)).replace(/\u0001[\s\u0001]*/g, "\n");
}

const LIST_TAG = /<(\/?)(ol|ul|li|p|div|br)\b([^<>]*)>/gi;
const START = /(?<![\w-])(?:start|value)\s*=\s*["']?(\d{1,6})/i;
const MOST_NUMBERS = 3; // Of an item in lists within lists.

function withItems(html: string): string {
  const numbers: number[] = []; // The last one of each open list, NaN of one without numbers.
  return html.replace(LIST_TAG, (tag, end: string, name: string, attributes: string) => {
    const start = Number(START.exec(attributes)?.[1] ?? Number.NaN);
    const kind = name.toLowerCase();
    if (kind === "li") return end === "" ? `\n${markOf(numbers, start)} ` : TOGETHER;
    if (kind !== "ol" && kind !== "ul") return numbers.length > 0 ? " " : tag;
    if (end !== "") numbers.pop();
    else numbers.push(kind === "ul" ? Number.NaN : (Number.isNaN(start) ? 1 : start) - 1);
    return numbers.length > 0 ? " " : "\n";
  });
}

/** What begins the next item of the innermost list. */
function markOf(numbers: number[], value: number): string {
  const before = numbers.pop();
  if (before === undefined) return "-";
  numbers.push(Number.isNaN(before) || Number.isNaN(value) ? before + 1 : value);
  if (Number.isNaN(before)) return "-";
  const label = numbers.slice(-MOST_NUMBERS).filter((number) => !Number.isNaN(number));
  return label.length > 1 ? label.join(".") : `${label[0]}.`;
}

const TABLE_OR_ROW = /<table\b|<tr\b[^<>]*>([^]*?)(?=<\/?(?:tr|table)\b|$)/gi;
const CELL = /<t[dh]\b([^<>]*)>([^]*?)(?=<t[dh]\b|$)/gi;
const ROWS = /\browspan\s*=\s*["']?(\d{1,4})/i;
const COLUMNS = /\bcolspan\s*=\s*["']?(1\d|[1-9])\b/i;

function withRows(html: string): string {
  const table = { above: [] as Cell[], room: html.length };
  return html.replace(TABLE_OR_ROW, (tag, row: string | undefined) => {
    if (row === undefined) table.above = [];
    const cells = row === undefined ? [] : cellsOf(row, table);
    return cells.filter(Boolean).length < 2 ? tag : `\n| ${cells.join(" | ")} |${TOGETHER}`;
  });
}

/** A cell, and how many more rows it spans. */
type Cell = { readonly text: string; rows: number };

/** The cells of a table's next row. One from above that spans it is repeated, while there is room for what is added; one
 * that spans columns has empty ones behind it. */
function cellsOf(row: string, table: { readonly above: Cell[]; room: number }): string[] {
  const cells: string[] = [];
  const own = row.matchAll(CELL);
  for (;;) {
    const above = table.above[cells.length];
    if (above !== undefined && above.rows-- > 0 && (table.room -= above.text.length + 3) > 0) {
      cells.push(above.text);
      continue;
    }
    const { value, done } = own.next();
    if (done === true) return cells;
    const [, attributes = "", html = ""] = value;
    const text = withoutTags(html).replace(/\s+/g, " ").trim();
    table.above[cells.length] = { text, rows: Number(ROWS.exec(attributes)?.[1] ?? 1) - 1 };
    cells.push(text, ...Array<string>(Number(COLUMNS.exec(attributes)?.[1] ?? 1) - 1).fill(""));
  }
}
