import { patternsOf, rewriter } from "../runtime/text/patterns.ts";
import PATTERNS from "./html-patterns.json" with { type: "json" };

const EACH = patternsOf(PATTERNS.each, "gi");
const ONE = patternsOf(PATTERNS.one, "i");

/** Removes comments, scripts, styles, and elements of the page that do not belong to the article: navigation, forms, footers,
 * headers but for their headings. An element that is not closed stays, and what is nested deeper than five. Linear. */
export function withoutFurniture(given: string): string {
  let html = given.replace(EACH.unread, " ");
  const kept = (element: string, name: string, end?: string): string => {
    if (end === undefined || ONE.isOfArticle.test(element)) return element;
    return ` ${(/^header$/i.test(name) && element.match(EACH.heading)?.join("\n")) || ""} `;
  };
  for (let [round, before] = [0, ""]; round < 5 && html !== before; round++) {
    before = html;
    html = html.replace(EACH.furniture, kept);
  }
  return html;
}

/** The article of a page, without furniture: its only `<main>` or, without one, its only `<article>`; else the whole body. */
export function articleOf(given: string): string {
  const page = withoutFurniture(given);
  const [only] = [EACH.main, EACH.article].map((tags) => page.split(tags)).filter(({ length }) => length === 3);
  return only?.[1] ?? page.replace(ONE.beforeBody, "");
}

/** Removes tags; a block starts a new line. */
export const withoutMarks = rewriter(PATTERNS.tags, "gi");
/** Removes tags, after {@link withoutFurniture}; a block starts a new line. A `<` that does not open a tag is kept. */
export const withoutTags = (html: string): string => withoutMarks(withoutFurniture(html));
/** Removes tags from a decoded text if it has end tags or attributes: it was escaped twice. `<b>` alone is kept. */
export const withoutEscaped = (text: string): string => (ONE.isMarkup.test(text) ? withoutTags(text) : text);

const TOGETHER = "\u0001"; // After an item or a row: the next one belongs to the same paragraph.

/** Rewrites the lists and tables of an HTML article in Markdown form: an item is a line that starts with a hyphen or its
 * number (`2.`, nested `2.1`), and bars separate the cells of a row. Takes time linear in the length of the text. */
export function withListsAndRows(article: string): string {
  const isHtml = ONE.isHtml.test(article) && !ONE.keepsLines.test(article);
  const html = isHtml ? article.replace(/\s+/g, " ") : article;
  return withItems(withRows(withoutFurniture(html.replace(EACH.autolink, "$1")))).replace(/\u0001[\s\u0001]*/g, "\n");
}

const MOST_NUMBERS = 3; // Maximum number of parts in the label of a nested item.
function withItems(html: string): string {
  const numbers: number[] = []; // The last item number of each open list; NaN for an unordered list.
  return html.replace(EACH.ofList, (tag, end: string, name: string, attributes: string) => {
    const start = Number(ONE.start.exec(attributes)?.[1] ?? Number.NaN);
    const kind = name.toLowerCase();
    if (kind === "li") return end === "" ? `\n${markOf(numbers, start)} ` : TOGETHER;
    if (kind !== "ol" && kind !== "ul") return numbers.length > 0 ? " " : tag;
    if (end !== "") numbers.pop();
    else numbers.push(kind === "ul" ? Number.NaN : (Number.isNaN(start) ? 1 : start) - 1);
    return numbers.length > 0 ? " " : "\n";
  });
}

/** The marker of the next item of the innermost list. */
function markOf(numbers: number[], value: number): string {
  const before = numbers.at(-1) ?? Number.NaN;
  if (Number.isNaN(before)) return "-";
  numbers[numbers.length - 1] = Number.isNaN(value) ? before + 1 : value;
  const label = numbers.slice(-MOST_NUMBERS).filter((number) => !Number.isNaN(number));
  return label.length > 1 ? label.join(".") : `${label[0]}.`;
}

/** Repeats a cell in the rows that it spans, up to a limit of added text, and adds empty cells for spanned columns. */
function withRows(html: string): string {
  let above: { readonly text: string; readonly rows: number }[] = []; // The previous row; `rows` of a cell are those that it still spans.
  let room = html.length;
  return html.replace(EACH.tableOrRow, (tag, row = "") => {
    const own = Array.from((row as string).matchAll(EACH.cell), ([, attributes = "", cell = ""]) => {
      const [rows = 1, columns = 1] = [ONE.rows, ONE.columns].map((span) => Number(span.exec(attributes)?.[1] ?? 1));
      return { text: withoutTags(cell).replace(/\s+/g, " ").trim() + " |".repeat(columns - 1), rows };
    });
    const cells: typeof above = [];
    for (const next of [...own, undefined]) {
      for (let span = above[cells.length]; span && span.rows > 1 && room > 0; span = above[cells.length]) {
        cells.push({ ...span, rows: span.rows - 1 });
        room -= span.text.length + 3;
      }
      if (next !== undefined) cells.push(next);
    }
    above = row === "" ? [] : cells; // A new table starts.
    const isRow = cells.filter(({ text }) => text !== "").length > 1;
    return isRow ? `\n| ${cells.map(({ text }) => text).join(" | ")} |${TOGETHER}` : tag;
  });
}
