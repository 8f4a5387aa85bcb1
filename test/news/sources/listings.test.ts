import { describe, expect, it } from "vitest";
import { readArticles, readNotices } from "../../../src/news/sources/parse-source.ts";

function listing(...articles: readonly object[]): string {
  return JSON.stringify({ articles });
}

describe("an entry of a listing", () => {
  const read = (entry: object) => {
    const notices = readNotices(JSON.stringify({ notices: [{ id: "a", lang: "en", ...entry }] }), false);
    return [...notices.entries, ...readArticles(listing({ id: "a", ...entry }), "en", false).entries];
  };

  it("has a title without HTML", () => {
    const titles = read({ title: " <b>Alipay</b> is\ndown &amp; slow, 1 < 2 " }).map(({ title }) => title);
    expect(titles).toEqual(Array(2).fill("Alipay is down & slow, 1 < 2"));
    expect(read({ title: "<b> </b>" })).toEqual([]);
  });

  it.each([
    ["javascript:alert(1)", ""],
    ["java\u200bscript:alert(1)", ""],
    ["data:text/html,x", ""],
    ["//x.example/a", ""],
    ["help/a", ""],
    ["https://", ""],
    [" HTTPS://x.example/a?utm_source=b#c ", "HTTPS://x.example/a?utm_source=b#c"],
  ])("has a link only if it is one of the web: %j", (given, url) => {
    expect(read({ title: "A", url: given }).map((entry) => entry.url)).toEqual([url, url]);
  });
});

describe("what is wrong with an entry", () => {
  it("is named by its id, or by its place in the listing", () => {
    const notice = { id: "n", lang: "en", title: "A" };
    const notices = ["x", null, { ...notice, id: undefined }, { ...notice, id: "" }, { ...notice, id: {} }];
    const more = [notice, notice, { ...notice, id: 5, title: " " }, { ...notice, id: "o", title: undefined }];
    expect(readNotices(JSON.stringify({ notices: [...notices, ...more] }), false)).toMatchObject({
      entries: [{ id: "n" }],
      refused: 8,
      faults: [
        "entry 1 is not an object",
        "entry 2 is not an object",
        "entry 3 has no valid id",
        "entry 4 has no valid id",
        "entry 5 has no valid id",
        "n has the id of another",
        "5 has no valid title",
        "o has no valid title",
      ],
    });
  });
});

describe("a date that cannot be read", () => {
  it("is named, and the entry is kept without it", () => {
    const entry = { id: "a", lang: "en", title: "A" };
    const read = readNotices(JSON.stringify({ notices: [{ ...entry, published_at: "soon" }] }), false);
    expect(read).toMatchObject({
      entries: [{ published_ms: null }],
      refused: 0,
      faults: ["a is kept without a date, as its published_at is not valid"],
    });
    expect(readArticles(listing({ ...entry, updated_at: "" }), "en", false)).toMatchObject({ refused: 0, faults: [] });
  });
});

describe("a date without a zone", () => {
  it("is that of China in Chinese listings", () => {
    const article = { id: "a", title: "Fees", updated_at: "2026-11-30 09:00:00" };
    const updated = (lang: string) => readArticles(listing(article), lang, false).entries[0]!.updated_ms;
    expect([updated("zh"), updated("en")].map((ms) => new Date(ms!).toISOString())).toEqual([
      "2026-11-30T01:00:00.000Z",
      "2026-11-30T09:00:00.000Z",
    ]);
  });
});

describe("a listing of help articles", () => {
  it("keeps the other ways to ask for an article: its questions, then its aliases", () => {
    const article = { id: "a", title: "Fees", questions: [" What does it cost? "], aliases: ["price list"] };
    const { entries, refused } = readArticles(listing(article, { id: "b", title: "Hours" }), "en", false);
    expect(refused).toBe(0);
    expect(entries[0]!.aliases).toEqual(["What does it cost?", "price list"]);
    expect(entries[1]).not.toHaveProperty("aliases");
  });

  it.each([
    ["# Your recovery phrase\n\nWrite it down.", "\n\nWrite it down."],
    ["<!-- new -->\n## *Your* recovery phrase.\nWrite it down.", "<!-- new -->\n\nWrite it down."],
    ["Your Recovery Phrase\n===\nWrite it down.", "\nWrite it down."],
    [
      "<div>\n<h1 class=x>Your <b>recovery</b>&nbsp;phrase</h1>Write it\ndown.</div>",
      "<div>\n<br>Write it\ndown.</div>",
    ],
    ["# Your recovery\nWrite it down.", "# Your recovery\nWrite it down."],
    ["Write it down.\n# Your recovery phrase", "Write it down.\n# Your recovery phrase"],
    ["Your recovery phrase is new.", "Your recovery phrase is new."],
  ])("does not keep a heading that repeats the title: %j", (body, kept) => {
    const { entries } = readArticles(listing({ id: "a", title: "Your recovery phrase", body }), "en", false);
    expect(entries[0]!.body).toBe(kept);
  });

  it.each([
    ["51 of them", Array.from({ length: 51 }, String)],
    ["one of 301 characters", ["x".repeat(301)]],
    ["an empty one", [" "]],
    ["something that is not a text", [7]],
  ])("refuses an article with aliases that are out of bounds: %s", (_, aliases) => {
    expect(readArticles(listing({ id: "a", title: "Fees", aliases }), "en", false)).toEqual({
      entries: [],
      refused: 1,
      faults: ["a has no valid aliases"],
    });
  });
});
