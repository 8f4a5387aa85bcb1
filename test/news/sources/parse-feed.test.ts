import { describe, expect, test } from "vitest";
import { parseFeed } from "../../../src/news/sources/parse-feed.ts";
import { rss } from "../world.ts";

const AT = Date.parse("2026-11-20T08:00:00Z");
const ENTRY = {
  guid: "a",
  link: "https://news.example/a",
  title: "Bitcoin rises",
  summary: "It rose by 4%.",
  published: AT,
  categories: ["BTC"],
};
const wrapped = (item: string, before = ""): string =>
  `<?xml version="1.0"?>${before}<rss version="2.0"><channel><title>t</title>${item}</channel></rss>`;
const titles = (text: string): string[] => parseFeed(text).map(({ title }) => title);

describe("a feed gives the same entry", () => {
  test.each([
    [
      "RSS",
      wrapped(
        `<item><title>Bitcoin rises</title><link>https://news.example/a</link><guid isPermaLink="false">a</guid>
         <pubDate>Fri, 20 Nov 2026 16:00:00 +0800</pubDate><category>BTC</category>
         <description>&lt;p&gt;It rose by &lt;b&gt;4%&lt;/b&gt;.&lt;/p&gt;</description></item>`,
      ),
    ],
    [
      "Atom",
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><entry><id>a</id><title type="html">Bitcoin &lt;i&gt;rises&lt;/i&gt;</title>
       <link rel="self" href="https://news.example/self"/><link href="https://news.example/a"/>
       <published>2026-11-20T08:00:00Z</published><updated>2026-11-21T08:00:00Z</updated>
       <category term="BTC"/><summary>It rose by 4%.</summary></entry></feed>`,
    ],
    [
      "JSON Feed",
      JSON.stringify({
        version: "https://jsonfeed.org/version/1.1",
        title: "t",
        items: [
          {
            id: "a",
            url: "https://news.example/a",
            title: "Bitcoin rises",
            content_html: "<p>It rose by 4%.</p>",
            date_published: "2026-11-20T08:00:00Z",
            tags: ["BTC"],
          },
        ],
      }),
    ],
    [
      "RDF",
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
       <channel rdf:about="c"><title>t</title></channel><item rdf:about="a"><title>Bitcoin rises</title>
       <link>https://news.example/a</link><description>It rose by 4%.</description><dc:date>2026-11-20T08:00:00Z</dc:date>
       <dc:subject>BTC</dc:subject></item></rdf:RDF>`,
    ],
  ])("as %s", (_, text) => {
    expect(parseFeed(text)).toEqual([ENTRY]);
  });
});

describe("a hostile feed", () => {
  test("that is cut off gives its whole entries", () => {
    const text = rss([{ title: "one" }, { title: "two" }, { title: "three" }]);
    expect(titles(text.slice(0, text.indexOf("three")))).toEqual(["one", "two"]);
  });

  test("that is broken within one entry gives the others", () => {
    expect(
      titles(wrapped("<item><title>a</title></item><item><title>b</titel></item><item><title>c</title></item>")),
    ).toContain("c");
  });

  test("reads no external entity", () => {
    const doctype = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
    expect(titles(wrapped("<item><title>a &x; b</title></item>", doctype))).toEqual(["a b"]);
  });

  test("expands no declared entity", () => {
    const entities = Array.from({ length: 20 }, (_, n) => `<!ENTITY e${n + 1} "&e${n};&e${n};&e${n};">`).join("");
    const text = wrapped("<item><title>a&e20;</title></item>", `<!DOCTYPE r [<!ENTITY e0 "ha">${entities}]>`);
    expect(titles(text)).toEqual(["a"]);
  });

  test("nested fifty thousand deep is read", () => {
    const deep = "<a>".repeat(50_000) + "</a>".repeat(50_000);
    expect(titles(wrapped(`<item><title>ok</title><description>${deep}</description></item>`))).toEqual(["ok"]);
  });

  test("with text before and after the document is read", () => {
    expect(titles(`\n\nWarning: date() on line 3\n${rss([{ title: "a" }])}<b>Fatal error</b>`)).toEqual(["a"]);
  });

  test("with control characters and bare ampersands is read", () => {
    expect(titles(wrapped("<item><title>R&D \u0008&\u0000 AT&T</title></item>"))).toEqual(["R&D & AT&T"]);
  });

  test("in a namespace prefix of its own is read", () => {
    const text =
      '<r:rss xmlns:r="urn:own" version="2.0"><r:channel><r:item><r:title>a</r:title></r:item></r:channel></r:rss>';
    expect(titles(text)).toEqual(["a"]);
  });

  test.each(["", "<html><body>502</body></html>", "{}", "[1]", "null", "<rss", "%PDF-1.4"])(
    "is refused: %j",
    (text) => {
      expect(() => parseFeed(text)).toThrow(expect.objectContaining({ name: "SourceError", failure: "not_a_feed" }));
    },
  );

  // What is not linear takes minutes or hours at this size, so the test's own time limit is the assertion.
  test.each<[name: string, text: string]>([
    ["brackets of a document type", `<!DOCTYPE ${"[".repeat(1e6)}`],
    ["open elements", wrapped("<item>".repeat(200_000))],
    ["roots without an end", "<rss ".repeat(200_000)],
    ["prefixed roots without an end", "<a:rss ".repeat(200_000)],
    ["entries without an end", `<rss><channel>${"<item ".repeat(200_000)}`],
    ["broken entries", `<rss><channel>${"<item><title</item>".repeat(200_000)}`],
    ["broken entries under a long root", `<rss ${"a='1' ".repeat(50_000)}><channel>${"<item><b</item>".repeat(5000)}`],
    ["an author of brackets", wrapped(`<item><title>a</title><author>${"a@(".repeat(200_000)}</author></item>`)],
    [
      "an editor that is not closed",
      wrapped(`<ManagingEditor x="<">${"a@(".repeat(200_000)}<item><title>a</title></item>`),
    ],
    ["editors without an end", wrapped("<author ".repeat(200_000))],
    ["editors that end only", wrapped("<author></author ".repeat(100_000))],
    [
      "a date of blanks",
      wrapped(`<item><title>a</title><pubDate>Fri, 20 Nov 2026 12:00${" ".repeat(1e6)}x</pubDate></item>`),
    ],
    ["comments without an end", wrapped(`<item><title><![CDATA[${"<!--".repeat(200_000)}]]></title></item>`)],
    ["scripts without an end", wrapped(`<item><title><![CDATA[${"<script>".repeat(200_000)}]]></title></item>`)],
  ])("of a million characters, %s, is read or refused", (_, text) => {
    try {
      expect(parseFeed(text).length).toBeLessThan(2);
    } catch (error) {
      expect(error).toMatchObject({ failure: "not_a_feed" });
    }
  });

  test("skips a hundred broken entries, and no more", () => {
    const [good, broken] = ["<item><title>good</title></item>", "<item><title>t<b</item>"];
    const feed = (count: number): string => `<rss><channel>${good}${broken.repeat(count)}${good}`;
    expect([titles(feed(99)).length, titles(feed(100)).length]).toEqual([2, 1]);
  });

  test("with references of many thousand characters is read without them", () => {
    const long = `https://news.example/${"a".repeat(5000)}`;
    const item = `<item><title>a</title><link>${long}</link><guid>${long}</guid></item>`;
    expect(parseFeed(wrapped(item))).toMatchObject([{ title: "a", link: "", guid: "" }]);
  });
});

test("authors are left out, and what looks like one in text is not", () => {
  const item =
    "<item><author>J. Doe</author><title><![CDATA[a <author> b]]></title><a:author xmlns:a='u'/><link>https://w.example/1</link>" +
    "<author><name>x</name></item><item><title>c</title><!-- <author> --></item>";
  expect(parseFeed(wrapped(item)).map(({ title, link }) => [title, link])).toEqual([
    ["a b", "https://w.example/1"],
    ["c", ""],
  ]);
});
