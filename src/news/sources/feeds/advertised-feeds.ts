import { attributesOf, MOST, resolveLink } from "./read-xml-feed.ts";

const PAGE = 500_000;
const FEED_TYPE = /^\s*application\/(?:rss\+xml|atom\+xml|feed\+json)\b/i;

/** The feeds that a web page advertises, absolute and in its order: `<link rel="alternate" type="application/rss+xml">`,
 * and those of Atom and JSON Feed, in the first 500,000 characters.
 * @param base where the page came from; a `<base>` of its own counts
 * @example
 * advertisedFeeds('<link rel=alternate type="application/rss+xml" href="/feed">', "https://news.example/"); */
export function advertisedFeeds(page: string, base?: string): string[] {
  const tags = page.slice(0, PAGE).match(/<(?:link|base)\s(?:[^<>"']|"[^"<]*"|'[^'<]*')*>/gi) ?? [];
  let from = base;
  return tags.flatMap((tag) => {
    const { rel = "", type = "", href = "" } = Object.fromEntries(attributesOf(tag.slice(5)));
    const link = resolveLink(href.trim(), from);
    if (!/^https?:/i.test(link) || link.length > MOST.link) return [];
    if (/^<base/i.test(tag)) from = link;
    return /(?:^|\s)alternate(?:\s|$)/i.test(rel) && FEED_TYPE.test(type) ? link : [];
  });
}
