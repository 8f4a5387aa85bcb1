import { readNumbers } from "../runtime/data-rows.ts";

/** What follows a number, and its factor. */
export const SCALES = readNumbers(new URL("data/scales.txt", import.meta.url));

const QUANTITY =
  /(?<![\p{L}\d.])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s?(?:(万亿|百万|千万|[千万亿])|(thousand|million|billion|trillion|mln|bln|mn|bn|tn|[kmbt])(?![\p{Script=Latin}\d]))?(\s?%|\s?percent\b|\s?per cent\b|\s?pct\b)?/giu;

/** The quantities of a folded text in any notation: `$105K`, `105,000` and `10.5 万` are one value, as are `14.2 亿` and `1.42B`. */
export function quantitiesOf(text: string) {
  return Array.from(text.matchAll(QUANTITY), (match) => {
    const [whole, digits = "", han, latin, percent] = match;
    const scale = SCALES.get((han ?? latin ?? "").toLowerCase()) ?? 1;
    return {
      /** In units, or in per cent. */
      value: Number(digits.replaceAll(",", "")) * scale,
      percent: percent !== undefined,
      start: match.index,
      end: match.index + whole.length,
    };
  });
}
