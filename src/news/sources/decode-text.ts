import { patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./byte-patterns.json" with { type: "json" };
import CHARSETS from "./data/charsets.json" with { type: "json" };
import { SourceError } from "./source-error.ts";

const DECLARATION_WINDOW = 1024; // Bytes searched for a declaration, and for the charset of text that declares none.
const SAMPLE = 64 * 1024;
const DECLARATION = /<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/i;
const MAX_BROKEN = 0.05; // Maximum share of undecodable characters with which a declared charset is accepted.
const MAX_ODD = 0.1; // Maximum share of odd characters among those beyond ASCII in plausible text.
const MAX_INVALID = 0.5; // Maximum broken sequences (`cut` ones excluded) per well-formed one in declared UTF-8.
/** `cut`: the incomplete UTF-8 character at the end of a truncated text. `odd`: sequences beyond ASCII that are rare in
 * text, such as symbols next to letters, capitals after small letters, and four accented letters in a row. */
const { cut: CUT, odd: ODD } = patternsOf(PATTERNS, "gu");

/** `codePages`: Windows code pages without a label in the Encoding Standard. `detected`: the candidates for text that
 * declares no charset. `windows1252`: the characters of its bytes 80 to 9F. */
const { codePages, detected, windows1252 } = CHARSETS as Record<"codePages", Readonly<Record<string, string>>> &
  typeof CHARSETS;

/** Decodes text of unknown charset. Precedence: byte order mark, HTTP header, XML declaration, detection. A charset that
 * the bytes contradict is ignored: valid UTF-8 with multi-byte characters is UTF-8 whatever is declared (a longer text in
 * another charset is practically never valid UTF-8), and a charset that gives many broken or implausible characters is
 * rejected. C1 controls, which text does not have, are decoded as the windows-1252 characters of the same bytes.
 * @throws SourceError `not_a_feed` for a gzip file; `charset` when neither a declared nor the detected charset gives plausible text */
export async function decodeSource(input: Uint8Array, contentType: string | null): Promise<Decoded> {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    throw new SourceError("not_a_feed", "the content is a gzip file, not text");
  const marked = markedCharset(bytes);
  if (marked !== undefined) return decoded(marked, bytes);
  const { multibyte, invalid } = utf8Shape(bytes);
  if (multibyte > 0 && invalid === 0) return decoded("utf-8", bytes);
  const header = /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType ?? "")?.[1];
  const declared = DECLARATION.exec(bytes.toString("latin1", 0, DECLARATION_WINDOW))?.[1];
  for (const charset of [header, declared]) {
    // UTF-16 without a mark has zero bytes and is detected above.
    const decode = charset && !/^(?:utf-?16|ucs-?2)/i.test(charset) && decoderOf(charset);
    if (!decode) continue;
    const isUtf8 = /^utf-?8$/i.test(charset);
    const cut = isUtf8 && invalid > 0 ? (bytes.toString("latin1").match(CUT)?.length ?? 0) : 0;
    const read = { charset: charset.toLowerCase(), text: decode(bytes) };
    const { high, broken } = highCharacters(read.text);
    const isFit = isUtf8 ? invalid - cut <= multibyte * MAX_INVALID : broken <= high * MAX_BROKEN;
    if (isFit && (isUtf8 || isPlausible(read.text))) return read;
  }
  if (invalid <= multibyte * 0.05 && !bytes.includes("\x1b$")) return decoded("utf-8", bytes);
  return detectText(bytes, header ?? declared ?? "no charset");
}

async function detectText(bytes: Buffer, declared: string): Promise<Decoded> {
  const { detect } = await import("jschardet"); // Loads a megabyte of models.
  const from = Math.max(bytes.findIndex((byte) => byte >= 0x80 || byte === 0x1b) - DECLARATION_WINDOW, 0);
  // The detector would trust a declaration.
  const sample = bytes.toString("latin1", from, from + SAMPLE).replace(DECLARATION, "<?xml");
  const { encoding } = detect(Buffer.from(sample, "latin1"), { detectEncodings: detected });
  for (const charset of [encoding, "windows-1252"]) {
    const text = charset && decoderOf(charset)?.(bytes);
    if (text && isPlausible(text)) return { charset: charset.toLowerCase(), text };
  }
  throw new SourceError("charset", `${declared} is declared, and none gives readable text`);
}

/** Whether few characters beyond ASCII are odd. */
function isPlausible(text: string): boolean {
  const sample = text.slice(Math.max(text.search(/[^\x00-\x7f]/), 0)).slice(0, SAMPLE);
  return (sample.match(ODD)?.length ?? 0) <= 1 + highCharacters(sample).high * MAX_ODD;
}

export const decodeText = async (...input: Parameters<typeof decodeSource>) => (await decodeSource(...input)).text;

type Decoded = Readonly<Record<"charset" | "text", string>>;
const decoded = (charset: string, bytes: Buffer): Decoded => ({ charset, text: decoderOf(charset)!(bytes) });

function decoderOf(label: string): ((bytes: Buffer) => string) | undefined {
  try {
    const decoder = new TextDecoder(codePages[/^(?:cp|ms|windows-)(\d+)$/i.exec(label)?.[1] ?? ""] ?? label);
    // Node 20 and others decode windows-1252 as ISO-8859-1, without its punctuation (nodejs/node issue 56542).
    return (bytes) =>
      decoder.decode(bytes).replace(/[\x80-\x9f]/g, (control) => windows1252[control.charCodeAt(0) - 0x80]!);
  } catch {
    return undefined;
  }
}

/** The charset of the byte order mark. UTF-16 is also recognized without one, since markup and JSON begin with ASCII. */
function markedCharset([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0 || (first === 0xfe && second === 0xff)) return "utf-16be";
  return second === 0 || (first === 0xff && second === 0xfe) ? "utf-16le" : undefined;
}

/** Counts well-formed and invalid multi-byte sequences of UTF-8. A truncated sequence at the end is neither. */
function utf8Shape(bytes: Buffer): { multibyte: number; invalid: number } {
  const { high, broken } = highCharacters(new TextDecoder("utf-8").decode(bytes, { stream: true }));
  // The text itself may contain U+FFFD.
  const written = broken === 0 ? 0 : bytes.toString("latin1").split("\xef\xbf\xbd").length - 1;
  return { multibyte: high - broken + written, invalid: broken - written };
}

function highCharacters(text: string): { high: number; broken: number } {
  const found = { high: 0, broken: 0 };
  for (const character of /[^\x00-\x7f]/.test(text) ? text : "") {
    if (character >= "\x80") found.high += 1;
    if (character === "\ufffd") found.broken += 1;
  }
  return found;
}
