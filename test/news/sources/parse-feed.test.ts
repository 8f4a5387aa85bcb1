import { describe, expect, test } from "vitest";
import { advertisedFeeds, parseFeed } from "../../../src/news/sources/feeds/parse-feed.ts";
import type { SourceError } from "../../../src/news/sources/source-error.ts";
import { rss } from "../world.ts";

const AT = Date.parse("2026-11-20T08:00:00Z");
const ENTRY = {
  guid: "a",
  link: "https://news.example/a",
  title: "Bitcoin rises",
  summary: "It rose by 4%.",
  author: "J. Doe",
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
         <author>doe@news.example (J. Doe)</author><pubDate>Fri, 20 Nov 2026 16:00:00 +0800</pubDate><category>BTC</category>
         <description>&lt;p&gt;It rose by &lt;b&gt;4%&lt;/b&gt;.&lt;/p&gt;</description></item>`,
      ),
    ],
    [
      "Atom",
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><entry><id>a</id><title type="html">Bitcoin &lt;i&gt;rises&lt;/i&gt;</title>
       <link rel="self" href="https://news.example/self"/><link href="https://news.example/a"/>
       <published>2026-11-20T08:00:00Z</published><updated>2026-11-21T08:00:00Z</updated>
       <author><name>J. Doe</name><email>doe@news.example</email></author><category term="BTC"/><summary>It rose by 4%.</summary></entry></feed>`,
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
            authors: [{ name: "J. Doe" }],
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
       <dc:subject>BTC</dc:subject><dc:creator>J. Doe</dc:creator></item></rdf:RDF>`,
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
    expect(titles(wrapped("<item><title>&#0;a&#xD800;&#1114112; &amp;ndash; &#8203;b</title></item>"))).toEqual([
      "a – b",
    ]);
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
      expect(["not_a_feed", "empty"]).toContain((error as SourceError).failure);
    }
  });

  test("of broken entries gives what is whole of each", () => {
    const [good, broken] = ["<item><title>good</title></item>", "<item><title>t<b</item>"];
    expect(titles(`<rss><channel>${good}${broken.repeat(3)}${good}`)).toEqual(["good", "t<b", "t<b", "t<b", "good"]);
    expect(titles(wrapped("<item><title>a</title><item><title>b</titel></item>"))).toEqual(["a", "b"]);
  });

  test("with references of many thousand characters is read without them", () => {
    const long = `https://news.example/${"a".repeat(5000)}`;
    const item = `<item><title>a</title><link>${long}</link><guid>${long}</guid></item>`;
    expect(parseFeed(wrapped(item))).toMatchObject([{ title: "a", link: "", guid: "" }]);
  });
});

test("what looks like an element in text is none", () => {
  const item =
    "<item><title><![CDATA[a <author> b]]></title><a:author xmlns:a='u'/><link>https://w.example/1</link>" +
    "<tags><item>t</item></tags><author><name>x</name></author></item><item><title>c</title><!-- <author> --></item>";
  expect(parseFeed(wrapped(item)).map(({ title, link, author }) => [title, link, author])).toEqual([
    ["a b", "https://w.example/1", "x"],
    ["c", "", ""],
  ]);
});

const atom = (entries: string, attributes = ""): string =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}><title>t</title>${entries}</feed>`;
describe("numeric dates of a feed", () => {
  const dates = (head: string, items: readonly string[], zone?: string): (string | undefined)[] =>
    parseFeed(
      wrapped(`${head}${items.map((date) => `<item><title>a</title><pubDate>${date}</pubDate></item>`).join("")}`),
      zone,
      undefined,
      Date.UTC(2026, 10, 13),
    ).map(({ published }) => (published === null ? undefined : new Date(published).toISOString().slice(0, 10)));

  test.each([
    ["another of its dates", "", ["03/04/2026", "25/04/2026"], undefined, ["2026-04-03", "2026-04-25"]],
    [
      "another with the month first",
      "<language>de</language>",
      ["03/04/2026", "04/25/2026"],
      undefined,
      ["2026-03-04", "2026-04-25"],
    ],
    ["British English", "<language>en-GB</language>", ["03/04/2026"], undefined, ["2026-04-03"]],
    ["German", "<language>de</language>", ["03-04-2026 10:00"], undefined, ["2026-04-03"]],
    ["French", "<dc:language>fr_FR</dc:language>", ["03/04/2026"], undefined, ["2026-04-03"]],
    ["American English", "<language>en-us</language>", ["03/04/2026"], "Europe/London", ["2026-03-04"]],
    ["a zone of Europe", "<language>en</language>", ["03/04/2026"], "Europe/London", ["2026-04-02"]],
    ["a zone of America", "", ["03/04/2026"], "America/New_York", ["2026-03-04"]],
    ["nothing", "", ["03/04/2026", "04/04/2026"], undefined, [undefined, "2026-04-04"]],
    [
      "what is to come",
      "<language>en</language>",
      ["05/11/2026", "12/11/2026"],
      undefined,
      ["2026-11-05", "2026-11-12"],
    ],
    [
      "their order",
      "",
      ["08/07/2026", "06/08/2026", "07/09/2026"],
      undefined,
      ["2026-07-08", "2026-08-06", "2026-09-07"],
    ],
    ["the newest of them", "", ["09/11/2026", "08/11/2026"], undefined, ["2026-11-09", "2026-11-08"]],
    [
      "dates that contradict each other",
      "",
      ["03/04/2026", "25/04/2026", "04/25/2026"],
      undefined,
      [undefined, "2026-04-25", "2026-04-25"],
    ],
  ] as const)("are read by %s", (_, head, items, zone, read) => {
    expect(dates(head, items, zone)).toEqual(read);
  });

  test("are read by the language of an Atom or JSON feed", () => {
    const entry = "<entry><title>a</title><published>03/04/2026</published></entry>";
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-AU">${entry}</feed>`;
    const json = JSON.stringify({ language: "de", items: [{ title: "a", date_published: "03/04/2026" }] });
    for (const text of [feed, json]) expect(parseFeed(text)[0]!.published).toBe(Date.UTC(2026, 3, 3));
  });
});

const links = (text: string, base?: string): string[] => parseFeed(text, 0, base).map(({ link }) => link);

describe("a relative link", () => {
  const entry = '<entry><title>a</title><link href="a?x=1&amp;y=2"/></entry>';

  test("is resolved by the nearest xml:base, and that by the ones around it", () => {
    const nested = entry.replace("<entry>", '<entry xml:base="b/">').replace("<link ", '<link xml:base="c/" ');
    expect(links(atom(nested, 'xml:base="https://w.example/f/"'), "https://other.example/")).toEqual([
      "https://w.example/f/b/c/a?x=1&y=2",
    ]);
    expect(links(atom(nested + entry), "https://w.example/f/feed.xml")).toEqual([
      "https://w.example/f/b/c/a?x=1&y=2",
      "https://w.example/f/a?x=1&y=2",
    ]);
  });

  test("is resolved by no base of another scheme, and by none that grows too long", () => {
    const hostile = entry.replace("<entry>", `<entry xml:base="javascript:alert(1)//">`);
    expect(links(atom(hostile), "https://w.example/")).toEqual(["https://w.example/a?x=1&y=2"]);
    const deep = `<channel xml:base="${"b".repeat(60)}/">`.repeat(20_000);
    expect(links(`<rss>${deep}<item><link>a</link></item>`, "https://w.example/")[0]!.length).toBeLessThan(4200);
  });

  test("of a feed of unknown origin is resolved by the feed's page", () => {
    const item = "<link>https://w.example/news/</link><item><title>a</title><link>1.html</link></item>";
    expect(links(wrapped(item))).toEqual(["https://w.example/news/1.html"]);
    const json = { home_page_url: "https://w.example/", items: [{ id: 7, url: "/7", title: "a" }] };
    expect(links(JSON.stringify(json))).toEqual(["https://w.example/7"]);
  });
});

describe("an entry without a link", () => {
  test.each([
    ["<link></link><guid>https://w.example/1</guid>", "https://w.example/1"],
    ["<link> </link><guid isPermaLink='false'>https://w.example/1</guid>", ""],
    ["<link/><atom:link xmlns:atom='http://www.w3.org/2005/Atom' href='/2'/>", "https://w.example/2"],
    ["<guid>a</guid>", ""],
    ["<link>javascript:alert(1)</link><guid>https://w.example/1</guid>", "https://w.example/1"],
    [
      "<link>http://p.example/~r/1</link><f:origLink xmlns:f='http://rssnamespace.org/feedburner/ext/1.0'>/1</f:origLink>",
      "https://w.example/1",
    ],
  ])("%s links to %j", (fields, link) => {
    expect(links(wrapped(`<item><title>a</title>${fields}</item>`), "https://w.example/feed")).toEqual([link]);
  });

  test("of Atom links to its identifier", () => {
    expect(links(atom("<entry><id>https://w.example/1</id></entry><entry><id>urn:2</id></entry>"))).toEqual([
      "https://w.example/1",
      "",
    ]);
  });
});

describe("the text of an entry", () => {
  const summary = (fields: string): string => parseFeed(wrapped(`<item>${fields}</item>`))[0]!.summary;

  test.each([
    "<p>It rose.</p><p>The post <a href='/1'>Gold: a history</a> appeared first on <a href='/'>Wire Daily</a>.</p>",
    "It rose. <a href='/1'>Read more »</a>",
    "It rose. <a href='/1'>[Continue reading…]</a>",
    "It rose. <a href='/1'>阅读全文</a>",
  ])("ends before what a publishing system appends: %s", (html) => {
    expect(summary(`<description><![CDATA[${html}]]></description>`)).toBe("It rose.");
    expect(summary("<description>Children who sleep well read more</description>")).toContain("read more");
  });

  const content = (attributes: string, text: string): string =>
    parseFeed(atom(`<entry><title>a</title><content ${attributes}>${text}</content></entry>`))[0]!.summary;

  test.each([
    ["<body xmlns='http://www.w3.org/1999/xhtml'><p>It <b>rose</b>.</p></body>"],
    ["<x:body xmlns:x='http://www.w3.org/1999/xhtml'><x:p>It rose.</x:p></x:body>"],
    ["<description> </description><content:encoded><![CDATA[<p>It rose.</p>]]></content:encoded>"],
    ["<fullitem>&lt;p>It rose.&lt;/p></fullitem>"],
    ["<d:description xmlns:d='http://purl.org/dc/elements/1.1/'>It rose.</d:description>"],
    ["<media:group><media:description>It rose.</media:description></media:group>"],
  ])("is read from %s", (fields) => {
    expect(summary(fields)).toBe("It rose.");
  });

  test.each([
    ["", "History of the &lt;blink&gt; tag", "History of the <blink> tag"],
    ['type="html"', "It &lt;b&gt;rose&lt;/b&gt;", "It rose"],
    ['type="xhtml"', '<div xmlns="http://www.w3.org/1999/xhtml">5 &lt; <b>6</b></div>', "5 < 6"],
    ['mode="base64"', Buffer.from("<p>升温</p>").toString("base64"), "升温"],
    ['type="application/octet-stream"', Buffer.from("<p>It rose</p>").toString("base64"), "It rose"],
    ['type="image/png"', "iVBORw0KGgo=", ""],
  ])("of Atom is read by its type: %s %s", (attributes, text, read) => {
    expect(content(attributes, text)).toBe(read);
  });
});

test("a variant of JSON Feed is read", () => {
  const items = [{ id: 1, content_text: "one", author: { name: "J" }, tags: "BTC" }, null, { title: ["x"], url: {} }];
  expect(parseFeed(JSON.stringify({ version: "1.0", items }))).toMatchObject([
    { guid: "1", link: "", title: "", summary: "one", author: "J", categories: ["BTC"] },
    { title: "", link: "" },
    { title: "x", link: "" },
  ]);
});

test.each([wrapped(""), atom(""), '{"items":[]}', wrapped("<item/>")])(
  "a feed without entries is empty: %s",
  (text) => {
    expect(() => parseFeed(text)).toThrow(expect.objectContaining({ failure: "empty" }));
  },
);

test("a relative date is before the time of reading, each time that it is read", () => {
  const text = wrapped("<item><title>a</title><pubDate>3 小时前</pubDate></item>");
  for (const [now, published] of [
    ["2026-11-20T12:34:56Z", "2026-11-20T09:00:00Z"],
    ["2026-11-21T12:34:56Z", "2026-11-21T09:00:00Z"],
  ] as const) {
    const [entry] = parseFeed(text, 480, undefined, Date.parse(now));
    expect(entry!.published).toBe(Date.parse(published));
  }
});

test("an entry that is listed again is read as the feed is by then", () => {
  const item = "<item><title>a</title><link>a</link><pubDate>Fri, 20 Nov 2026 16:00:00</pubDate></item>";
  const read = (page: string, zone: number) =>
    parseFeed(wrapped(`<link>${page}</link>${item}`), zone).map(({ link, published }) => [link, published]);
  expect(read("https://one.example/", 0)).toEqual([["https://one.example/a", AT + 8 * 3_600_000]]);
  expect(read("https://two.example/", 0)).toEqual([["https://two.example/a", AT + 8 * 3_600_000]]);
  expect(read("https://two.example/", 480)).toEqual([["https://two.example/a", AT]]);
  expect(read("https://two.example/", 480)).toEqual([["https://two.example/a", AT]]);
});

describe("a web page", () => {
  const page = (...tags: string[]): string => `<!DOCTYPE html><html><head>${tags.join("")}</head><rss></html>`;

  test("is refused with the feed that it advertises", () => {
    const text = page('<link rel="alternate" type="application/rss+xml" title="a > b" href="/feed?a=1&amp;b=2">');
    expect(() => parseFeed(text, 0, "https://w.example/news/")).toThrow(
      "the content is a web page, not a feed; it advertises https://w.example/feed?a=1&b=2",
    );
    expect(() => parseFeed(page())).toThrow("not a feed; it advertises no feed");
  });

  test("advertises the feeds of three formats, and nothing else", () => {
    const links = ["rss+xml", "atom+xml; charset=utf-8", "feed+json", "json"].map(
      (type, at) => `<LINK HREF='${at}' Rel="home alternate" TYPE="application/${type}"/>`,
    );
    const others = [
      '<link rel="stylesheet" type="application/rss+xml" href="/a">',
      '<link rel=alternate type=application/rss+xml href="javascript:alert(1)">',
      '<link rel=alternate hreflang=de href="/de">',
    ];
    expect(advertisedFeeds(page(...links, ...others), "https://w.example/news/")).toEqual(
      [0, 1, 2].map((at) => `https://w.example/news/${at}`),
    );
    expect(advertisedFeeds(page('<base href="https://o.example/x/">', links[0]!))).toEqual(["https://o.example/x/0"]);
  });
});

describe("a feed of more than 1,000 entries gives the newest 1,000, in its order", () => {
  const named = (from: number, count: number) => Array.from({ length: count }, (_, n) => `s${from + n}`);
  const json = (stories: readonly { title: string; at?: number }[]) =>
    JSON.stringify({
      items: stories.map(({ title, at }) => ({ title, ...(at !== undefined && { date_published: new Date(at) }) })),
    });
  const many = Array.from({ length: 3000 }, (_, n) => ({ title: `s${n}`, at: AT + n * 60_000 }));
  const parsed = (text: string) => parseFeed(text, 0, undefined, AT + 3000 * 60_000).map(({ title }) => title);

  test.each([
    ["RSS", rss],
    ["JSON Feed", json],
  ] as const)("of %s", (_, print) => {
    expect(parsed(print(many))).toEqual(named(2000, 1000));
    expect(parsed(print(many.toReversed()))).toEqual(named(2000, 1000).reverse());
    const undated = named(0, 1500).map((title) => ({ title }));
    expect(parsed(print(undated))).toEqual(named(0, 1000));
    const ahead = { title: "ahead", at: AT + 9e9 };
    const mixed = [...undated, ahead, ...many.slice(2500)];
    expect(parsed(print(mixed))).toEqual([...named(0, 500), ...named(2500, 500)]);
  });

  test("among the first 20,000", () => {
    const all = Array.from({ length: 20_001 }, (_, n) => ({ title: `s${n}`, at: AT - 9e8 + n * 1000 }));
    expect(parsed(rss(all))).toEqual(named(19_000, 1000));
  });
});
