import { patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./byte-patterns.json" with { type: "json" };
import CHARSETS from "./data/charsets.json" with { type: "json" };
import { SourceError } from "./source-error.ts";

/** How many bytes are searched for a declaration, and for the charset of text that declares none. */
const DECLARATION_WINDOW = 1024;
const SAMPLE = 64 * 1024;
const DECLARATION = /<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/i;
const MOST_BROKEN = 0.05; // Share of the characters that may not be decodable in a declared charset that is believed.
const MOST_ODD = 0.1; // Share of the characters beyond ASCII that may be odd in text of a detected charset.
const MOST_INVALID = 0.5; // Broken sequences that are no cuts, beside one that is well-formed, in UTF-8 that is believed.
/** `cut`: bytes of UTF-8 that begin a character and end before it does, where a text that was cut ends. `odd`: what text
 * beyond ASCII seldom has, as symbols beside letters, capitals behind small ones, and four accented letters in a row. */
const { cut: CUT, odd: ODD } = patternsOf(PATTERNS, "gu");

/** Windows' numbers of charsets, which the Encoding Standard has no label for; what is looked for in text that declares
 * nothing; and the bytes 80 to 9F of windows-1252. */
const { codePages, detected, windows1252 } = CHARSETS as Record<"codePages", Readonly<Record<string, string>>> &
  typeof CHARSETS;

/** Text of unknown charset: byte order mark, then the HTTP header, then the XML declaration, then detection. A charset
 * that the bytes contradict is ignored: valid UTF-8 with multi-byte characters is UTF-8 whatever is declared (a
 * longer text of another charset is practically never valid UTF-8), and bytes that are far from it or no plausible text
 * are not of that charset. C1 controls, which no text has, are read as the characters of windows-1252 in their place.
 * @throws SourceError `charset` when neither what is declared nor what is detected gives plausible text */
export async function decodeSource(input: Uint8Array, contentType: string | null): Promise<Decoded> {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  const marked = markedCharset(bytes);
  if (marked !== undefined) return decoded(marked, bytes);
  const { multibyte, invalid } = utf8Shape(bytes);
  if (multibyte > 0 && invalid === 0) return decoded("utf-8", bytes);
  const header = /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType ?? "")?.[1];
  const head = bytes.subarray(0, DECLARATION_WINDOW).toString("latin1");
  const declared = DECLARATION.exec(head)?.[1];
  for (const charset of [header, declared]) {
    // A text of UTF-16 without a mark has zeros.
    const decode = charset && !/^(?:utf-?16|ucs-?2)/i.test(charset) && decoderOf(charset);
    if (!decode) continue;
    const isUtf8 = /^utf-?8$/i.test(charset);
    const cut = isUtf8 && invalid > 0 ? (bytes.toString("latin1").match(CUT)?.length ?? 0) : 0;
    const read = { charset: charset.toLowerCase(), text: decode(bytes) };
    const { high, broken } = highCharacters(read.text);
    const isFit = isUtf8 ? invalid - cut <= multibyte * MOST_INVALID : broken <= high * MOST_BROKEN;
    if (isFit && (isUtf8 || isPlausible(read.text))) return read;
  }
  if (invalid <= multibyte * 0.05 && !bytes.includes("\x1b$")) return decoded("utf-8", bytes);
  return detectText(bytes, header ?? declared ?? "no charset");
}

async function detectText(bytes: Buffer, told: string): Promise<Decoded> {
  const { detect } = await import("jschardet"); // Loads a megabyte of models.
  const from = Math.max(bytes.findIndex((byte) => byte >= 0x80 || byte === 0x1b) - DECLARATION_WINDOW, 0);
  // The detector would believe a declaration.
  const sample = bytes.toString("latin1", from, from + SAMPLE).replace(DECLARATION, "<?xml");
  const { encoding } = detect(Buffer.from(sample, "latin1"), { detectEncodings: detected });
  for (const charset of [encoding, "windows-1252"]) {
    const text = charset && decoderOf(charset)?.(bytes);
    if (text && isPlausible(text)) return { charset: charset.toLowerCase(), text };
  }
  throw new SourceError("charset", `${told} is declared, and none gives readable text`);
}

/** Whether few characters beyond ASCII are odd. */
function isPlausible(text: string): boolean {
  const sample = text.slice(Math.max(text.search(/[^\x00-\x7f]/), 0)).slice(0, SAMPLE);
  return (sample.match(ODD)?.length ?? 0) <= 1 + highCharacters(sample).high * MOST_ODD;
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

/** The charset of the byte order mark; without one UTF-16's, since markup and JSON begin with ASCII. */
function markedCharset([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0 || (first === 0xfe && second === 0xff)) return "utf-16be";
  return second === 0 || (first === 0xff && second === 0xfe) ? "utf-16le" : undefined;
}

/** How many sequences of UTF-8 are well-formed, and how many are not. One that is cut off at the end is neither. */
function utf8Shape(bytes: Buffer): { multibyte: number; invalid: number } {
  const { high, broken } = highCharacters(new TextDecoder("utf-8").decode(bytes, { stream: true }));
  // A text may hold U+FFFD itself.
  const written = broken === 0 ? 0 : bytes.toString("latin1").split("\xef\xbf\xbd").length - 1;
  return { multibyte: high - broken + written, invalid: broken - written };
}

function highCharacters(text: string): { high: number; broken: number } {
  let high = 0;
  let broken = 0;
  for (const character of /[^\x00-\x7f]/.test(text) ? text : "") {
    if (character >= "\x80") high += 1;
    if (character === "\ufffd") broken += 1;
  }
  return { high, broken };
}
