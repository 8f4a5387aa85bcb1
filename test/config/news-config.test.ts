import { describe, expect, test } from "vitest";
import { newsConfig } from "../../src/config/news-config.ts";

const SOURCE = { id: "a", name: "A", lang: "en", url: "feeds/a.xml" };

test("an empty section is a news room without sources", () => {
  expect(newsConfig.parse({})).toEqual({
    sources: [],
    allow_private: false,
    min_interval_ms: 10_000,
    help: {},
    refresh_interval_s: 300,
    takeover_s: 15,
    timeout_ms: 10_000,
    max_bytes: 5 * 1024 * 1024,
    max_items: 2000,
    max_age_days: 30,
  });
});

describe("the section is refused with", () => {
  test.each([
    ["an unknown key", { refresh: 300 }],
    ["an unknown key of a source", { sources: [{ ...SOURCE, href: "x" }] }],
    ["a help center in another language", { help: { fr: "fr.json" } }],
    ["the same source twice", { sources: [SOURCE, { ...SOURCE, url: "b.xml" }] }],
    ["a scheme other than HTTP", { notices: "file:///etc/passwd" }],
    ["a source without a name", { sources: [{ ...SOURCE, name: " " }] }],
    ["a negative interval", { refresh_interval_s: -1 }],
    ["a zone of no such name", { sources: [{ ...SOURCE, timezone: "America/Nowhere" }] }],
    ["a zone that is two", { sources: [{ ...SOURCE, timezone: "CST" }] }],
    ["a weight of nothing", { sources: [{ ...SOURCE, weight: 0 }] }],
    ["a header that the connection sets", { sources: [{ ...SOURCE, headers: { Host: "a.example" } }] }],
    ["a header of two lines", { sources: [{ ...SOURCE, headers: { "x-key": "a\r\nb: c" } }] }],
  ])("%s", (_, section) => {
    expect(newsConfig.safeParse(section).success).toBe(false);
  });
});

test("sources are URLs or paths", () => {
  const urls = ["https://news.example/feed", "http://127.0.0.1:8080/", "../feeds/a.xml", "/srv/a.xml"];
  for (const url of urls) expect(newsConfig.parse({ sources: [{ ...SOURCE, url }] }).sources[0]?.url).toBe(url);
});
