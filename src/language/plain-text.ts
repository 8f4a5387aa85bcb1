import { decodeHTMLStrict } from "entities/decode";
import { patternsOf, rewriter } from "../runtime/text/patterns.ts";
import { withListsAndRows, withoutEscaped, withoutMarks, withoutTags } from "./html-lines.ts";
import PATTERNS from "./plain-text-patterns.json" with { type: "json" };

const CONTROL =
  /[^\P{Cc}\t\n\r]|[\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\p{Bidi_Control}]/gu;

/** Removes control characters, which XML and JSON forbid, and zero-width and bidirectional marks. */
export const withoutControls = (text: string): string => text.replace(CONTROL, "");
const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;
const INVISIBLE = /[\u00ad\u200c\u200d\ufffd]/g; // Soft hyphens, joiners, and U+FFFD of an invalid code point.

/** Decodes character references; drops the invisible characters that they encode. */
export const decodeEntities = (text: string): string =>
  text.replace(REFERENCE, (reference) => decodeHTMLStrict(reference).replace(INVISIBLE, ""));

const withoutMarkdown = rewriter(PATTERNS.markdown, "gmu");
const VERBATIM = patternsOf(PATTERNS.verbatim, "gm");
const BULLET = /^[ \t]*[*+-][ \t]+/gm;

/** The plain text of an HTML or Markdown article, in lines, with item numbers and bars between cells. Linear time.
 * @param bullet marker of an item of an unordered list
 * @example plainText("<h2>Fees</h2>**0.5**&nbsp;USDT"); // "\nFees\n0.5 USDT" */
export function plainText(article: string, bullet = ""): string {
  const text = withoutControls(decodeEntities(withoutMarks(withListsAndRows(article.replace(/\r\n?/g, "\n")))));
  const verbatim: string[] = []; // Code, and signs behind a backslash: no markup.
  const marked = text.replace(VERBATIM.code, (...[, , block, , span, sign]: string[]) => {
    return `\ufdd0x${verbatim.push(block ?? span ?? sign!) - 1}\ufdd1`;
  });
  const plain = withoutMarkdown(marked)
    .replace(BULLET, bullet)
    .replace(/[^\S\n]+/g, " ");
  return plain.replace(/\ufdd0x(\d+)\ufdd1/g, (_, at: string) => verbatim[Number(at)]!);
}

/** Joiners, except between letters and emoji that they join. */
const JOINER = /(?<=[\0-\x7f\u3000-\u9fff])[\u200c\u200d]|[\u200c\u200d](?=[\0-\x7f\u3000-\u9fff])/g;

/** A feed's HTML field as one line of text, decoded twice if escaped twice; keeps no-break spaces. Linear time. */
export function plainLine(html: string): string {
  const once = decodeEntities(withoutTags(html));
  return withoutControls(withoutEscaped(decodeEntities(withoutEscaped(once))))
    .replace(JOINER, "")
    .replace(/[^\S\u00a0]+/gu, " ")
    .trim();
}

/** At most `max` code points, cut at a sentence or word end where one is near, with an ellipsis. */
export function shorten(text: string, max: number): string {
  const points = text.length <= max ? [] : Array.from(text);
  if (points.length <= max) return text;
  const cut = points.slice(0, max - 1).join("");
  const word = cut.search(/[\s。！？；，,.;!?][^\s。！？；，,.;!?]*$/u);
  return `${(word > cut.length * 0.6 ? cut.slice(0, word) : cut).trimEnd()}…`;
}
