import iconv from "iconv-lite";
import { describe, expect, test } from "vitest";
import { decodeText } from "../../../src/news/sources/decode-text.ts";

const SIMPLIFIED = "比特币突破十万美元，市场情绪升温；交易所公告将下架三个代币交易对。";
const TRADITIONAL = "比特幣突破十萬美元，市場情緒升溫；交易所公告將下架三個代幣交易對。";
const xml = (text: string, encoding?: string): string =>
  `<?xml version="1.0"${encoding === undefined ? "" : ` encoding="${encoding}"`}?><rss><title>${text}</title></rss>`;

describe("a text's charset", () => {
  test.each([
    ["gbk", "gbk", "gbk"],
    ["gb18030", "gb18030", "gb18030"],
    ["GBK bytes declared as gb2312", "gbk", "gb2312"],
    ["utf-8", "utf-8", "utf-8"],
    ["GBK bytes that claim to be UTF-8", "gbk", "utf-8"],
    ["UTF-8 bytes that claim to be GBK", "utf-8", "gbk"],
    ["GBK bytes without a declaration", "gbk", undefined],
    ["an unknown charset name", "gbk", "x-none"],
  ])("is read: %s", (_, actual, declared) => {
    expect(decodeText(iconv.encode(xml(SIMPLIFIED, declared), actual), null)).toContain(SIMPLIFIED);
  });

  test.each([
    ["big5", "big5"],
    ["undeclared Big5", undefined],
  ])("is read: %s", (_, declared) => {
    expect(decodeText(iconv.encode(xml(TRADITIONAL, declared), "big5"), null)).toContain(TRADITIONAL);
  });

  test.each(["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"])("is read from a mark: %s", (charset) => {
    const bytes = iconv.encode(xml(SIMPLIFIED), charset, { addBOM: true });
    expect(decodeText(bytes, "text/xml; charset=iso-8859-1")).toBe(xml(SIMPLIFIED));
  });

  test.each(["utf-16le", "utf-16be", "utf-32le", "utf-32be"])("is read without a mark: %s", (charset) => {
    expect(decodeText(iconv.encode(xml(SIMPLIFIED), charset, { addBOM: false }), null)).toBe(xml(SIMPLIFIED));
  });

  test("of the HTTP header goes before the declaration", () => {
    expect(decodeText(iconv.encode(xml(TRADITIONAL, "gbk"), "big5"), 'text/xml; charset="big5"')).toContain(
      TRADITIONAL,
    );
  });

  test("that only the platform knows is read too", () => {
    const bytes = Buffer.from("\u001b$B%S%C%H%3%$%s\u001b(B", "latin1");
    expect(decodeText(bytes, "text/xml; charset=iso-2022-jp")).toBe("ビットコイン");
  });

  test("stays UTF-8 when a few bytes are broken or the last character is cut", () => {
    const bytes = Buffer.from(xml(SIMPLIFIED));
    expect(decodeText(bytes.subarray(0, bytes.indexOf("市场") + 1), null)).toContain("比特币突破十万美元");
    const broken = Buffer.concat([Buffer.from(SIMPLIFIED), Buffer.from([0xff]), Buffer.from(SIMPLIFIED)]);
    expect(decodeText(broken, null)).toBe(`${SIMPLIFIED}\ufffd${SIMPLIFIED}`);
  });

  test("of Western European text without a declaration is windows-1252", () => {
    expect(decodeText(iconv.encode("Crédit Agricole lève 3 milliards d’euros", "windows-1252"), null)).toBe(
      "Crédit Agricole lève 3 milliards d’euros",
    );
  });
});
