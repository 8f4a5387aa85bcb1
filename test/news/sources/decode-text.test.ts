import { gzipSync } from "node:zlib";
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

/** Charsets that texts in others are declared in, and garbage in. */
const WRONG: Readonly<Record<string, string>> = {
  ...{ Shift_JIS: "iso-8859-1", "EUC-JP": "windows-1252", "EUC-KR": "iso-8859-1", "KOI8-R": "windows-1251" },
  ...{ "windows-1251": "koi8-r", Big5: "gb2312", GB18030: "iso-8859-1", "windows-1253": "iso-8859-1" },
  ...{ "windows-1255": "windows-1252", "windows-1256": "windows-1252", "windows-874": "iso-8859-1" },
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
  ])("is read: %s", async (_, actual, declared) => {
    expect(await decodeText(encode(xml(SIMPLIFIED, declared), actual), null)).toContain(SIMPLIFIED);
  });

  test.each([
    ["big5", "big5"],
    ["undeclared Big5", undefined],
  ])("is read: %s", async (_, declared) => {
    expect(await decodeText(encode(xml(TRADITIONAL, declared), "big5"), null)).toContain(TRADITIONAL);
  });

  test.each(["utf-8", "utf-16le", "utf-16be"])("is read from a mark: %s", async (charset) => {
    const bytes = encode(`\ufeff${xml(SIMPLIFIED)}`, charset);
    expect(await decodeText(bytes, "text/xml; charset=iso-8859-1")).toBe(xml(SIMPLIFIED));
  });

  test.each(["utf-16le", "utf-16be"])("is read without a mark: %s", async (charset) => {
    expect(await decodeText(encode(xml(SIMPLIFIED), charset), null)).toBe(xml(SIMPLIFIED));
  });

  test("of the HTTP header takes precedence over the declaration", async () => {
    expect(await decodeText(encode(xml(TRADITIONAL, "gbk"), "big5"), 'text/xml; charset="big5"')).toContain(
      TRADITIONAL,
    );
  });

  test("is not looked for in a gzip file", async () => {
    await expect(decodeText(gzipSync("<rss/>"), "application/xml")).rejects.toMatchObject({
      failure: "not_a_feed",
      message: "the content is a gzip file, not text",
    });
  });

  test("of Japanese mail is read", async () => {
    const bytes = Buffer.from("\u001b$B%S%C%H%3%$%s\u001b(B", "latin1");
    expect(await decodeText(bytes, "text/xml; charset=iso-2022-jp")).toBe("ビットコイン");
  });

  test("stays UTF-8 when a few bytes are broken or the last character is cut", async () => {
    const bytes = Buffer.from(xml(SIMPLIFIED));
    expect(await decodeText(bytes.subarray(0, bytes.indexOf("市场") + 1), null)).toContain("比特币突破十万美元");
    const broken = Buffer.concat([Buffer.from(SIMPLIFIED), Buffer.from([0xff]), Buffer.from(SIMPLIFIED)]);
    expect(await decodeText(broken, null)).toBe(`${SIMPLIFIED}\ufffd${SIMPLIFIED}`);
  });

  test("that is declared stays UTF-8 though titles are cut within a character", async () => {
    const cut = (title: string): Buffer => Buffer.from(title).subarray(0, -1);
    const bytes = Buffer.concat([Buffer.from(xml("央行降准", "utf-8")), cut("市场"), cut("<t>情绪"), cut("<t>升温")]);
    expect(await decodeText(bytes, null)).toBe(`${xml("央行降准", "utf-8")}市\ufffd<t>情\ufffd<t>升\ufffd`);
  });

  test("that is declared stays UTF-8 though all is ASCII but for titles cut within a character", async () => {
    const titles = ["Bitcoin rises", "It is a “test”", "The market it’", "Update 市", "Ether 市"].map(
      (title) => `${title}</t>`,
    );
    const cuts = [0, 0, 1, 1, 2];
    const parts = titles.map((title, at) => {
      const [text, end] = [title.slice(0, -4), "</t>"];
      return Buffer.concat([Buffer.from(text).subarray(0, Buffer.byteLength(text) - cuts[at]!), Buffer.from(end)]);
    });
    const cut = "The market it\ufffd</t>Update \ufffd</t>Ether \ufffd</t>";
    for (const before of [0, 2]) {
      const bytes = Buffer.concat([Buffer.from(xml("News", "utf-8")), ...parts.slice(before)]);
      expect(await decodeText(bytes, null)).toBe(xml("News", "utf-8") + titles.slice(before, 2).join("") + cut);
    }
  });

  test("that is declared UTF-8 is another where words have single bytes beyond ASCII", async () => {
    for (const text of ["Crédit à taux zéro, café", "Le café"]) {
      expect(await decodeText(Buffer.from(xml(text, "utf-8"), "latin1"), null)).toBe(xml(text, "utf-8"));
    }
  });

  test("of Western European text is windows-1252, with or without a declaration", async () => {
    const text = "Crédit Agricole lève 3 milliards d’euros";
    const bytes = Buffer.from(text.replace("’", "\x92"), "latin1");
    for (const header of [null, "text/xml; charset=iso-8859-1", "text/xml; charset=windows-1252"]) {
      expect(await decodeText(bytes, header)).toBe(text);
    }
  });

  test.each([
    [
      "Shift_JIS",
      "日経平均株価は続伸し、終値は前日比三百円高となった。",
      "k/qMb5W9i8+KlIm/gs2RsZBMgrWBQY9JkmyCzZFPk/qU5I5PlVOJfo2CgsaCyILBgr2BQg==",
    ],
    ["EUC-JP", "日本銀行は金融政策の現状維持を決定した。", "xvzL3LbkudSkz7bizbvAr7r2pM64vb71sN27/aTyt+jE6qS3pL+how=="],
    [
      "ISO-2022-JP",
      "ビットコインの価格が最高値を更新した。",
      "GyRCJVMlQyVIJTMlJCVzJE4yQTNKJCw6RzliQ00kcjk5PzckNyQ/ISMbKEI=",
    ],
    ["EUC-KR", "비트코인 가격이 사상 최고치를 기록했다.", "uvHGrsTawM4gsKGw3cDMILvnu/Mgw9aw7cShuKYgseK3z8fftNku"],
    [
      "KOI8-R",
      "Центральный банк сохранил ключевую ставку.",
      "48XO1NLBzNjO2cogwsHOyyDTz8jSwc7JzCDLzMDexdfVwCDT1MHXy9Uu",
    ],
    ["windows-1251", "Биткоин обновил исторический максимум.", "wejy6u7o7SDu4e3u4ujrIOjx8u7w6Pfl8ero6SDs4Orx6Ozz7C4="],
    ["Big5", "台北股市今日收盤上漲兩百點，成交量放大。", "pXilX6rRpauktaTppqy9TKRXuqao4qbKwkmhQaaopea2canxpGqhQw=="],
    ["GB18030", "上证指数今日收盘上涨，成交量放大。", "yc/WpNa4yv298cjVytXFzMnP1cejrLPJvbvBv7fFtPOhow=="],
    [
      "windows-1250",
      "Giełda zakończyła dzień na plusie dzięki spółkom.",
      "R2lls2RhIHpha2/xY3p5s2EgZHppZfEgbmEgcGx1c2llIGR6aepraSBzcPOza29tLg==",
    ],
    [
      "windows-1252",
      "La croissance française dépasse les prévisions d’août.",
      "TGEgY3JvaXNzYW5jZSBmcmFu52Fpc2UgZOlwYXNzZSBsZXMgcHLpdmlzaW9ucyBkkmFv+3Qu",
    ],
    [
      "windows-1253",
      "Η κυβέρνηση ενέκρινε τον νέο προϋπολογισμό.",
      "xyDq9eLd8e3n8+cg5e3d6vHp7eUg9O/tIO3d7yDw8e/78O/r7+Pp8+z8Lg==",
    ],
    ["windows-1254", "Borsa İstanbul güne yükselişle başladı.", "Qm9yc2Eg3XN0YW5idWwgZ/xuZSB5/GtzZWxp/mxlIGJh/mxhZP0u"],
    ["windows-1255", "הבורסה בתל אביב ננעלה בעליות שערים.", "5OHl+PHkIOH67CDg4enhIPDw8uzkIOHy7Onl+iD58vjp7S4="],
    [
      "windows-1256",
      "ارتفعت أسعار النفط بعد قرار خفض الإنتاج.",
      "x9HK3drKIMPT2sfRIMfh5N3YIMjazyDe0cfRIM7d1iDH4cXkysfMLg==",
    ],
    [
      "windows-1257",
      "Lietuvos bankas paliko palūkanų normas nepakeistas.",
      "TGlldHV2b3MgYmFua2FzIHBhbGlrbyBwYWz7a2Fu+CBub3JtYXMgbmVwYWtlaXN0YXMu",
    ],
    ["windows-874", "ตลาดหุ้นไทยปิดบวกวันนี้", "tcXStMvY6bnkt8K71LS6x6HH0bm51ek="],
  ])("that is not declared is detected, and so is a wrong one: %s", async (charset, text, base64) => {
    const between = ([before, after] = xml("|").split("|")) =>
      Buffer.concat([Buffer.from(before!), Buffer.from(base64, "base64"), Buffer.from(after!)]);
    const bytes = between();
    expect(await decodeText(bytes, null)).toBe(xml(text));
    const wrong = WRONG[charset];
    if (wrong === undefined) return;
    const declared = xml("|", wrong);
    expect(await decodeText(between(declared.split("|")), null)).toBe(declared.replace("|", text));
    expect(await decodeText(between(xml("|", charset).split("|")), `text/xml; charset=${wrong}`)).toContain(text);
    expect((await decodeText(Buffer.concat([Buffer.alloc(100_000, " "), bytes]), null)).trim()).toBe(xml(text));
  });

  test("that is declared wins where it nearly fits", async () => {
    const text = Buffer.concat([BYTES.gbk, BYTES.gbk, Buffer.from("\xd6<\xd6<", "latin1")]);
    expect(await decodeText(text, "text/xml; charset=gbk")).toBe(`${SIMPLIFIED}${SIMPLIFIED}\ufffd<\ufffd<`);
  });

  test.each([
    ["iso-8859-1", "Sections § 5 and § 7: 5 ± 1 m², ¾ of n.º 1, « né à Öland »"],
    ["windows-1252", "„Größe“ – ÄRGER ÜBER ÖL… ‚so‘ und 5‰"],
    ["utf-16", "Plain text that is not of UTF-16"],
  ])("that is declared wins however rare its characters: %s", async (charset, text) => {
    const byte = (character: string) =>
      0x80 + "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ".indexOf(character);
    const bytes = Buffer.from(
      text.replace(/[\u0100-\uffff]/g, (one) => String.fromCharCode(byte(one))),
      "latin1",
    );
    expect(await decodeText(bytes, `text/xml; charset=${charset}`)).toBe(text);
  });

  test("of capitals stays the one that is declared", async () => {
    const bytes = Buffer.from(
      Array.from("БИТКОИН ОБНОВИЛ МАКСИМУМ", (one) => (one === " " ? 32 : one.charCodeAt(0) - 0x350)),
    );
    expect(await decodeText(bytes, "text/xml; charset=windows-1251")).toBe("БИТКОИН ОБНОВИЛ МАКСИМУМ");
  });

  test.each([[128], [161], [192], [32]])("that is none of text is refused: bytes from %i", async (least) => {
    let seed = 1;
    const noise = Array.from(
      { length: 300 },
      () => least + (((seed = (seed * 1103515245 + 12345) % 2 ** 31) >> 8) % (256 - least)),
    );
    const bytes = Buffer.concat([Buffer.from("<rss><title>"), Buffer.from(noise), Buffer.from("</title></rss>")]);
    for (const type of [null, "text/xml; charset=iso-8859-1"])
      await expect(decodeText(bytes, type)).rejects.toMatchObject({ name: "SourceError", failure: "charset" });
  });

  test("may have controls that are characters of windows-1252", async () => {
    expect(await decodeText(Buffer.from("don\u0092t é"), null)).toBe("don’t é");
  });

  test("is looked for in a part of the text alone, however long it is", async () => {
    const bytes = Buffer.concat([Buffer.from("<rss>"), Buffer.alloc(5_000_000, BYTES.big5)]);
    expect((await decodeText(bytes, null)).slice(5, 12)).toBe(TRADITIONAL.slice(0, 7));
  });
});
