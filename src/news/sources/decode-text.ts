/** How many bytes are searched for a declaration and sampled for sniffing. */
const DECLARATION_WINDOW = 1024;
const SNIFF_WINDOW = 64 * 1024;
/** Share of the characters that may not be decodable in a declared charset that is believed. */
const MOST_BROKEN = 0.02;
/** Broken sequences beside one that is well-formed in a declared UTF-8 that is believed: titles cut within a character. */
const MOST_CUT = 0.5;

const BOMS: readonly [charset: string, bytes: readonly number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** Windows' numbers of East Asian charsets, which the Encoding Standard has no label for. */
const CODE_PAGES: Readonly<Record<string, string>> = { 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5" };

/** The bytes 80 to 9F of windows-1252 (https://encoding.spec.whatwg.org/#windows-1252). */
const WINDOWS_1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Text of unknown charset: byte order mark, then the HTTP header, then the XML declaration, then sniffing. A charset
 * that the bytes contradict is ignored: valid UTF-8 with multi-byte characters is UTF-8 whatever is declared (a
 * longer text of another charset is practically never valid UTF-8), and bytes that are far from UTF-8 are not. */
export function decodeText(input: Uint8Array, contentType: string | null): string {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  for (const [charset, mark] of BOMS) {
    if (mark.every((byte, index) => bytes[index] === byte)) return decoderOf(charset)!(bytes.subarray(mark.length));
  }
  const wide = wideCharset(bytes);
  if (wide !== undefined) return decoderOf(wide)!(bytes);
  const { multibyte, invalid } = utf8Shape(bytes);
  if (multibyte > 0 && invalid === 0) return bytes.toString("utf8");
  const header = /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType ?? "")?.[1];
  const head = bytes.subarray(0, DECLARATION_WINDOW).toString("latin1");
  const declared = /<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1];
  for (const charset of [header, declared]) {
    const decode = charset && decoderOf(charset);
    if (!decode) continue;
    const isUtf8 = /^utf-?8$/i.test(charset);
    if (isUtf8 && invalid > multibyte * MOST_CUT) continue;
    const text = decode(bytes);
    const { high, broken } = highCharacters(text);
    if (isUtf8 || broken <= high * MOST_BROKEN) return text;
  }
  if (invalid <= multibyte * 0.05) return bytes.toString("utf8");
  return decoderOf(sniff(bytes))!(bytes);
}

function decoderOf(label: string): ((bytes: Buffer) => string) | undefined {
  try {
    const decoder = new TextDecoder(CODE_PAGES[/^(?:cp|ms|windows-)(\d+)$/i.exec(label)?.[1] ?? ""] ?? label);
    return decoder.encoding === "windows-1252" ? decodeWindows1252 : (bytes) => decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Node 20 and others decode windows-1252 as ISO-8859-1, without its punctuation (nodejs/node issue 56542). */
function decodeWindows1252(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/[\x80-\x9f]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80]!);
}

/** UTF-16 without a mark: markup and JSON begin with ASCII, so the zero bytes show the byte order. */
function wideCharset(bytes: Buffer): string | undefined {
  if (bytes[0] === 0) return "utf-16be";
  return bytes[1] === 0 ? "utf-16le" : undefined;
}

/** How many sequences of UTF-8 are well-formed, and how many are not. One that is cut off at the end is neither. */
function utf8Shape(bytes: Buffer): { multibyte: number; invalid: number } {
  const { high, broken } = highCharacters(new TextDecoder("utf-8").decode(bytes, { stream: true }));
  // A text may hold U+FFFD itself.
  const written = broken === 0 ? 0 : bytes.toString("latin1").split("\xef\xbf\xbd").length - 1;
  return { multibyte: high - broken + written, invalid: broken - written };
}

/** Counts the characters beyond ASCII, and among them those that could not be decoded. */
function highCharacters(text: string): { high: number; broken: number } {
  let high = 0;
  let broken = 0;
  for (const character of text) {
    if (character >= "\x80") high += 1;
    if (character === "\ufffd") broken += 1;
  }
  return { high, broken };
}

/** Distinguishes GB18030 from Big5 by where the double bytes fall. Both standards put their frequent characters in one region
 * (GB 2312 level 1: lead B0–D7, trail A1–FE; Big5 level 1: lead A4–C6), and running text stays in it. Text that stays
 * in neither is taken for windows-1252. */
function sniff(bytes: Buffer): string {
  const sample = bytes.subarray(0, SNIFF_WINDOW);
  let pairs = 0;
  let gb = 0;
  let big5 = 0;
  for (let at = 0; at + 1 < sample.length; at++) {
    const lead = sample[at]!;
    if (lead < 0x81) continue;
    const trail = sample[at + 1]!;
    pairs += 1;
    if ((lead >= 0xb0 && lead <= 0xd7 && trail >= 0xa1) || (lead >= 0xa1 && lead <= 0xa3 && trail >= 0xa1)) gb += 1;
    const big5Trail = (trail >= 0x40 && trail <= 0x7e) || trail >= 0xa1;
    if (big5Trail && lead >= 0xa1 && lead <= 0xc6) big5 += 1;
    at += 1;
  }
  if (pairs === 0 || Math.max(gb, big5) < pairs * 0.6) return "windows-1252";
  return gb >= big5 ? "gb18030" : "big5";
}
