import { describe, expect, test } from "vitest";
import { cleanUrl, urlKey } from "../../../src/news/items/canonical-url.ts";

describe("a link", () => {
  test.each([
    ["https://news.example/n?id=7&utm_source=rss", "https://news.example/n?id=7"],
    ["https://www.news.example/n?utm_medium=x&id=7#top", "https://www.news.example/n?id=7"],
    ["https://news.example/a?x=1&y=2", "https://news.example/a?x=1&y=2"],
    ["https://user:pass@news.example/a?fbclid=1", "https://news.example/a"],
    ["https://news.example/app#/story/7", "https://news.example/app#/story/7"],
    ["https://blog.example/log#post-1", "https://blog.example/log#post-1"],
    ["https://blog.example/log#2026-11-20", "https://blog.example/log#2026-11-20"],
    ["https://blog.example/log#a120501", "https://blog.example/log#a120501"],
    ...["comments", "comment-7", "more-7", "respond", "2", "xtor=RSS-1", "ref=rss", ":~:text=7", "top"].map(
      (fragment) => [`https://blog.example/log#${fragment}`, "https://blog.example/log"],
    ),
    ["https://news.example/a?from=rss&page=2", "https://news.example/a?page=2"],
    ["https://www.google.com/amp/s/news.example/a/amp/?utm_source=x", "https://news.example/a/amp/"],
    ["https://news-example.cdn.ampproject.org/c/s/news.example/a?amp=1", "https://news.example/a"],
    ["https://cdn.ampproject.org/v/news.example/a", "http://news.example/a"],
    ["https://www.google.com/amp/", "https://www.google.com/amp/"],
    ["https://www.google.com/url?rct=j&sa=t&url=https://news.example/a?b%3D1&ct=ga", "https://news.example/a?b=1"],
    ["https://www.bing.com/news/apiclick.aspx?ref=x&url=https%3a%2f%2fnews.example%2fa", "https://news.example/a"],
    ["https://www.google.com/url?sa=t", "https://www.google.com/url?sa=t"],
    ["https://news.example/share?url=https://other.example/", "https://news.example/share?url=https://other.example/"],
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
    ...[
      ...["https://news.example/n/amp/", "https://news.example/amp/n", "https://amp.news.example/n/"],
      ...["https://news.example/n?amp", "https://news.example/n?amp=1", "https://news.example/n?outputType=amp"],
      ...["https://news.example/n.amp", "https://news.example/n/amp.html", "https://news.example/n/?amp_js_v=a6"],
      ...["https://www.google.co.uk/amp/s/amp.news.example/n", "https://www.bing.com/amp/s/news.example/n/amp/"],
      ...[
        "https://news-example.cdn.ampproject.org/c/s/www.news.example/n?usqp=mq331AQ",
        "http://cdn.ampproject.org/v/s/news.example/n",
      ],
      ...[
        "https://m.news.example/n",
        "https://mobile.news.example/n",
        "https://wap.news.example/n",
        "https://www.m.news.example/n",
      ],
    ].map((link) => [link, "https://news.example/n"]),
    ["https://news.example/n.amp.html", "https://news.example/n.html"],
    ["https://en.m.news.example/n", "https://en.news.example/n"],
    ...[
      ...[
        "fbclid",
        "gclid",
        "gbraid",
        "wbraid",
        "msclkid",
        "yclid",
        "twclid",
        "ttclid",
        "igshid",
        "igsh",
        "mc_cid",
        "mc_eid",
      ],
      ...[
        "utm_source",
        "utm_id",
        "spm",
        "scm",
        "spm_id_from",
        "vd_source",
        "srsltid",
        "hsa_cam",
        "__hstc",
        "mtm_campaign",
      ],
      ...[
        "pk_campaign",
        "_openstat",
        "ysclid",
        "li_fat_id",
        "vero_id",
        "trk",
        "cmp",
        "icid",
        "ref_src",
        "share_token",
        "wfr",
      ],
    ].map((name) => [`https://news.example/n?id=7&${name}=x1`, "https://news.example/n?id=7"]),
  ])("%s and %s", (one, other) => {
    expect(urlKey(one)).toBe(urlKey(other));
  });

  test.each([
    ["https://news.example/n?id=7", "https://news.example/n?id=8"],
    ["https://news.example/a", "https://news.example/b"],
    ["https://zh.news.example/a", "https://en.news.example/a"],
    ["https://news.example/amplifier", "https://news.example/lifier"],
    ["https://news.example/ramp", "https://news.example/r"],
    ["https://news.example/camp/1", "https://news.example/1"],
    ["https://m.example/a", "https://example/a"],
    ["https://news.example/a?chapter=1", "https://news.example/a?chapter=2"],
    ...[
      "pk_id",
      "share_id",
      "mkt_id",
      "piwik_x",
      "hsa_x",
      "sc_content",
      "share_code",
      "ref",
      "rss",
      "cmp",
      "trk",
      "feature",
    ].map((name) => [`https://news.example/n?${name}=101`, `https://news.example/n?${name}=102`]),
  ] as [string, string][])("but not %s and %s", (one, other) => {
    expect(urlKey(one)).not.toBe(urlKey(other));
  });
});
