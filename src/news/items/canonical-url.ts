import { patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./tracking-patterns.json" with { type: "json" };
import SHARED_DOMAINS from "./shared-domains.json" with { type: "json" };

const { names, values, cache, redirect, fragment, ...pageMarks } = patternsOf(PATTERNS, "i");

function parsed(url: string): URL | undefined {
  const text = url.trim().replace(cache, (_, secure?: string) => `http${secure === undefined ? "" : "s"}://`);
  const result = URL.canParse(text) ? new URL(text) : undefined;
  const target = redirect.test(text) && (result?.searchParams.get("url") ?? result?.searchParams.get("q"));
  if (target) return parsed(target);
  return /^https?:$/.test(result?.protocol ?? "") ? result : undefined;
}

const meaningful = (query: string, keepsMarks = false): string[] =>
  query
    .replace(/^\?/, "")
    .split("&")
    .filter((pair) => pair !== "" && !names.test(pair.split("=")[0]!) && (keepsMarks || !values.test(pair)));

/** The absolute link without tracking parameters, credentials and fragment. A fragment that is a route (`#!/…`, `#/…`) or
 * an entry of a page (`#post-1`, `#2026-11-20`) is kept. "" when it is empty or not an http(s) URL.
 * @param keepsMarks whether to keep parameters such as `ref`, which track by most values, but may name the page */
export function cleanUrl(url: string, keepsMarks = false): string {
  const target = parsed(url);
  if (target === undefined) return "";
  [target.username, target.password] = ["", ""];
  if (!fragment.test(target.hash)) target.hash = "";
  target.search = meaningful(target.search, keepsMarks).join("&");
  return target.href;
}

/** The {@link cleanUrl} of a clean link that may have kept its marks. */
export const pageOf = (url: string): string =>
  url.includes("?") && url.split(/[?&]/).some((pair) => values.test(pair)) ? cleanUrl(url) : url;

/** A key that is equal for links to one page: {@link cleanUrl} without scheme, `www.`, `m.` or `amp.`, trailing slash,
 * `index.html` and AMP markers, with sorted parameters. Two items with the same key are one story of one outlet. */
export function urlKey(url: string): string {
  const target = parsed(cleanUrl(url));
  if (target === undefined) return "";
  const host = target.host.replace(pageMarks.host, "");
  const marked = target.pathname.replace(/\/{2,}/g, "/");
  const path = marked.replace(pageMarks.mark, "").replace(pageMarks.path, "");
  const query = meaningful(target.search).sort();
  return `${host}${path}${query.length === 0 ? "" : `?${query.join("&")}`}${target.hash}`;
}

const SHARED: ReadonlySet<string> = new Set(Object.values(SHARED_DOMAINS).flat());
/** The site of a URL, that is its registrable host: `gazette.co.uk` of `https://www.gazette.co.uk/a`; "" if it has none. */
export function siteOf(url: string): string {
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: "" };
  const labels = hostname.replace(/^www\./, "").split(".");
  return /^[\d.]+$|:/.test(hostname) ? hostname : labels.slice(SHARED.has(labels.at(-2)!) ? -3 : -2).join(".");
}
