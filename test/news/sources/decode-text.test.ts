import { describe, expect, test } from "vitest";
import { decodeText } from "../../../src/news/sources/decode-text.ts";

const SIMPLIFIED = "比特币突破十万美元，市场情绪升温；交易所公告将下架三个代币交易对。";
const TRADITIONAL = "比特幣突破十萬美元，市場情緒升溫；交易所公告將下架三個代幣交易對。";

/** The texts in their own charsets; all else in these tests is ASCII. */
const BYTES = {
  gbk: Buffer.from(
    "scjM2LHSzbvGxsquzfLDwNSqo6zK0LOhx+nQ98n9zsKju7270tfL+bmruOa9q8/CvNzI/bj2tPqx0r270te21KGj",
    "base64",
  ),
  big5: Buffer.from(
    "pPGvU7n0rPCvfaRRuFWs/KS4oUGlq7P1saG6/KTJt8WhRqXmqfap0qS9p2mxTqRVrFukVK3TpU659KXmqfa576FD",
    "base64",
  ),
};

const xml = (text: string, encoding?: string): string =>
  `<?xml version="1.0"${encoding === undefined ? "" : ` encoding="${encoding}"`}?><rss><title>${text}</title></rss>`;

function encode(text: string, charset: string): Buffer {
  switch (charset) {
    case "gbk":
    case "big5": {
      const [before, after] = text.split(charset === "gbk" ? SIMPLIFIED : TRADITIONAL);
      return Buffer.concat([Buffer.from(before!), BYTES[charset], Buffer.from(after!)]);
    }
    case "utf-16le":
    case "utf-16be": {
      const bytes = Buffer.from(text, "utf16le");
      return charset === "utf-16be" ? bytes.swap16() : bytes;
    }
    default:
      return Buffer.from(text);
  }
}

describe("a text's charset", () => {
  test.each([
    ["gbk", "gbk", "gbk"],
    ["gb18030", "gbk", "gb18030"],
    ["GBK bytes declared by Windows' number", "gbk", "cp936"],
    ["GBK bytes declared as gb2312", "gbk", "gb2312"],
    ["utf-8", "utf-8", "utf-8"],
    ["GBK bytes that claim to be UTF-8", "gbk", "utf-8"],
    ["UTF-8 bytes that claim to be GBK", "utf-8", "gbk"],
    ["GBK bytes without a declaration", "gbk", undefined],
    ["an unknown charset name", "gbk", "x-none"],
  ])("is read: %s", (_, actual, declared) => {
    expect(decodeText(encode(xml(SIMPLIFIED, declared), actual), null)).toContain(SIMPLIFIED);
  });

  test.each([
    ["big5", "big5"],
    ["undeclared Big5", undefined],
  ])("is read: %s", (_, declared) => {
    expect(decodeText(encode(xml(TRADITIONAL, declared), "big5"), null)).toContain(TRADITIONAL);
  });

  test.each(["utf-8", "utf-16le", "utf-16be"])("is read from a mark: %s", (charset) => {
    const bytes = encode(`\ufeff${xml(SIMPLIFIED)}`, charset);
    expect(decodeText(bytes, "text/xml; charset=iso-8859-1")).toBe(xml(SIMPLIFIED));
  });

  test.each(["utf-16le", "utf-16be"])("is read without a mark: %s", (charset) => {
    expect(decodeText(encode(xml(SIMPLIFIED), charset), null)).toBe(xml(SIMPLIFIED));
  });

  test("of the HTTP header takes precedence over the declaration", () => {
    expect(decodeText(encode(xml(TRADITIONAL, "gbk"), "big5"), 'text/xml; charset="big5"')).toContain(TRADITIONAL);
  });

  test("of Japanese mail is read", () => {
    const bytes = Buffer.from("\u001b$B%S%C%H%3%$%s\u001b(B", "latin1");
    expect(decodeText(bytes, "text/xml; charset=iso-2022-jp")).toBe("ビットコイン");
  });

  test("stays UTF-8 when a few bytes are broken or the last character is cut", () => {
    const bytes = Buffer.from(xml(SIMPLIFIED));
    expect(decodeText(bytes.subarray(0, bytes.indexOf("市场") + 1), null)).toContain("比特币突破十万美元");
    const broken = Buffer.concat([Buffer.from(SIMPLIFIED), Buffer.from([0xff]), Buffer.from(SIMPLIFIED)]);
    expect(decodeText(broken, null)).toBe(`${SIMPLIFIED}\ufffd${SIMPLIFIED}`);
  });

  test("that is declared stays UTF-8 though titles are cut within a character", () => {
    const cut = (title: string): Buffer => Buffer.from(title).subarray(0, -1);
    const bytes = Buffer.concat([Buffer.from(xml("央行降准", "utf-8")), cut("市场"), cut("<t>情绪"), cut("<t>升温")]);
    expect(decodeText(bytes, null)).toBe(`${xml("央行降准", "utf-8")}市\ufffd<t>情\ufffd<t>升\ufffd`);
  });

  test("of Western European text is windows-1252, with or without a declaration", () => {
    const text = "Crédit Agricole lève 3 milliards d’euros";
    const bytes = Buffer.from(text.replace("’", "\x92"), "latin1");
    for (const header of [null, "text/xml; charset=iso-8859-1", "text/xml; charset=windows-1252"]) {
      expect(decodeText(bytes, header)).toBe(text);
    }
  });
});
