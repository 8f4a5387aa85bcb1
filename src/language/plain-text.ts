/** HTML entities that news texts use; numeric references cover the rest. */
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  ensp: " ",
  emsp: " ",
  thinsp: " ",
  zwnj: "",
  zwj: "",
  shy: "",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  lsquo: "‘",
  rsquo: "’",
  sbquo: "‚",
  ldquo: "“",
  rdquo: "”",
  bdquo: "„",
  laquo: "«",
  raquo: "»",
  bull: "•",
  middot: "·",
  times: "×",
  deg: "°",
  plusmn: "±",
  frac12: "½",
  euro: "€",
  pound: "£",
  yen: "¥",
  cent: "¢",
  sect: "§",
  copy: "©",
  reg: "®",
  trade: "™",
  eacute: "é",
  egrave: "è",
  agrave: "à",
  uuml: "ü",
  ouml: "ö",
  auml: "ä",
  szlig: "ß",
  ccedil: "ç",
  ntilde: "ñ",
};

const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufdd0-\ufdef\ufffe\uffff]/g;

/** The text without control characters, which XML and JSON forbid and some feeds carry. */
export function withoutControls(text: string): string {
  return text.replace(CONTROL, "");
}

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{1,31}));/gi, (whole, decimal, hex, name) => {
    if (typeof name === "string") return NAMED[name] ?? NAMED[name.toLowerCase()] ?? whole;
    const code = typeof decimal === "string" ? Number(decimal) : Number.parseInt(String(hex), 16);
    const valid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return valid ? String.fromCodePoint(code) : "";
  });
}

/**
 * Plain text of what a feed calls text: tags dropped (script and style with their content), entities decoded, control
 * characters removed, white space folded but for no-break spaces. A `<` that opens no tag stays. Linear in the length of
 * the text.
 */
export function plainText(html: string): string {
  const visible = html
    .replace(/<!--[^]*?(?:-->|$)/g, " ")
    .replace(/<(script|style)\b[^<>]*>[^]*?(?:<\/\1\s*>|$)/gi, " ")
    .replace(/<\/?(?:p|div|br|li|ul|ol|h[1-6]|tr|td|th|table|blockquote|section|article|figure|img|hr)\b[^<>]*>/gi, " ")
    .replace(/<\/?[a-z][^<>]*>/gi, "")
    .replace(/<!\[CDATA\[|\]\]>/g, "");
  return withoutControls(decodeEntities(visible))
    .replace(/[^\S\u00a0]+/gu, " ")
    .trim();
}

/** At most `max` code points, cut at a sentence or word end where one is near, with an ellipsis. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = Array.from(text);
  if (points.length <= max) return text;
  const cut = points.slice(0, max - 1).join("");
  const word = cut.search(/[\s。！？；，,.;!?][^\s。！？；，,.;!?]*$/u);
  return `${(word > cut.length * 0.6 ? cut.slice(0, word) : cut).trimEnd()}…`;
}
