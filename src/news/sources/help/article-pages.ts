import { z } from "zod";
import { parseJson } from "../../../runtime/json/parse-json.ts";
import { SourceError } from "../source-error.ts";

const MAX_PAGES = 200;
/** Limits on the aliases of an article: their number, and the characters of each. */
export const [MAX_ALIASES, MAX_ALIAS_LENGTH] = [50, 300];

const ANYTHING = z.unknown().optional(); // An invalid article must not invalidate its page.
const article = z.object({
  ...{ id: ANYTHING, title: ANYTHING, html_url: ANYTHING, updated_at: ANYTHING, body: ANYTHING },
  ...{ draft: z.boolean().optional(), label_names: z.array(z.string()).nullish() },
  user_segment_id: z.int().nullish(), // Its permitted readers; absent or null for everybody.
});
/** A page of https://developer.zendesk.com/api-reference/help_center/help-center-api/articles/#list-articles. */
const pageSchema = z.object({
  articles: z.array(article),
  meta: z.object({ has_more: z.boolean() }),
  links: z.object({ next: z.string().nullish() }).default({}),
});

/** Whether a location is the listing of a Zendesk help center's articles in one locale. */
export const isArticleList = (location: string): boolean =>
  /^https?:\/\/[^?#]{1,500}\/api\/v2\/help_center\/[\w-]{1,20}\/articles(?:\.json)?(?:[?#]|$)/i.test(location);

/** Reads a help center's public articles within one limit of time and size, as `{"articles":[…]}` without drafts.
 * @param readPage reads one page within a timeout, ms
 * @throws SourceError also when the pages do not end, or lead to another server */
export async function readArticlePages<R extends { readonly bytes: Uint8Array }>(
  location: string,
  { timeoutMs, maxBytes }: { readonly timeoutMs: number; readonly maxBytes: number },
  readPage: (location: string, timeoutMs: number) => Promise<R | undefined>,
): Promise<R & { readonly bytes: Buffer }> {
  const first = new URL(location);
  if (!first.searchParams.has("page[size]")) first.searchParams.set("page[size]", "100");
  const ends = performance.now() + timeoutMs;
  const articles: object[] = [];
  const asked = new Set<string>();
  let bytes = 0;
  for (let url = first; ;) {
    if (asked.has(url.href) || asked.size === MAX_PAGES) throw refused("the listing of articles does not end");
    asked.add(url.href);
    const reading = await readPage(url.href, Math.max(1, Math.round(ends - performance.now())));
    const page = pageSchema.safeParse(reading && parseJson(Buffer.from(reading.bytes).toString("utf8")));
    if (reading === undefined || !page.success) throw refused("the content is not a page of articles with a cursor");
    bytes += reading.bytes.byteLength;
    if (bytes > maxBytes) throw new SourceError("too_large", `more than ${maxBytes} bytes`);
    for (const { html_url: link, label_names, draft, user_segment_id, body, ...article } of page.data.articles) {
      const aliases = label_names?.filter(({ length }) => length <= MAX_ALIAS_LENGTH).slice(0, MAX_ALIASES);
      if (draft !== true && user_segment_id == null)
        articles.push({ ...article, body: body ?? "", url: link, aliases });
    }
    if (!page.data.meta.has_more) return { ...reading, bytes: Buffer.from(JSON.stringify({ articles })) };
    const { next } = page.data.links;
    if (!next || !URL.canParse(next, url.href)) throw refused("a page of articles does not name the next one");
    url = new URL(next, url);
    // Each page is requested with the source's credentials.
    if (url.origin !== first.origin) throw refused("a page of articles leads to another server");
    [url.username, url.password] = [first.username, first.password];
  }
}

const refused = (reason: string): SourceError => new SourceError("invalid", reason);
