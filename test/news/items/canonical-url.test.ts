import { describe, expect, test } from "vitest";
import { cleanUrl, urlKey } from "../../../src/news/items/canonical-url.ts";

describe("a link", () => {
  test.each([
    ["https://news.example/n?id=7&utm_source=rss", "https://news.example/n?id=7"],
    ["https://www.news.example/n?utm_medium=x&id=7#top", "https://www.news.example/n?id=7"],
    ["https://news.example/a?x=1&y=2", "https://news.example/a?x=1&y=2"],
    ["https://user:pass@news.example/a?fbclid=1", "https://news.example/a"],
    ["https://news.example/app#/story/7", "https://news.example/app#/story/7"],
    ["https://news.example/a?from=rss&page=2", "https://news.example/a?page=2"],
    ["https://news.example/搜索?q=比特币", "https://news.example/%E6%90%9C%E7%B4%A2?q=%E6%AF%94%E7%89%B9%E5%B8%81"],
  ])("%s is shown as %s", (url, clean) => {
    expect(cleanUrl(url)).toBe(clean);
  });

  test.each(["javascript:alert(1)", "file:///etc/passwd", "not a link", "/a", ""])("%j is none", (url) => {
    expect(cleanUrl(url)).toBe("");
    expect(urlKey(url)).toBe("");
  });
});

describe("two links are of one page", () => {
  test.each([
    ["http://news.example/n?id=7", "https://www.news.example/n/?id=7&utm_source=x#top"],
    ["https://news.example/n?a=1&b=2", "https://m.news.example/n?b=2&a=1"],
    ["https://news.example/n/index.html", "https://news.example/n"],
    ["https://news.example/n/amp", "https://news.example/n"],
  ])("%s and %s", (one, other) => {
    expect(urlKey(one)).toBe(urlKey(other));
  });

  test.each([
    ["https://news.example/n?id=7", "https://news.example/n?id=8"],
    ["https://news.example/a", "https://news.example/b"],
    ["https://zh.news.example/a", "https://en.news.example/a"],
  ])("but not %s and %s", (one, other) => {
    expect(urlKey(one)).not.toBe(urlKey(other));
  });
});
