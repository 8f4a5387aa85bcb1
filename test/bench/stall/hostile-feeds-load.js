// Sources that each send 5 MB made to be slow to read. BENCH_FEEDS: how many (default 200).
import { newsOf, refresh, serveFeeds } from "./feed-server.js";

const COUNT = Number(process.env.BENCH_FEEDS ?? 200);
const SIZE = 5_000_000;

const fill = (unit, size = SIZE - 500) => unit.repeat(Math.floor(size / Buffer.byteLength(unit)));
const numbered = (unit) => {
  let text = "";
  for (let n = 0; text.length < SIZE - 500; n++) text += unit(n);
  return text;
};
const rss = (content) => `<rss version="2.0"><channel>${content}</channel></rss>`;
const inTitle = (text) => rss(`<item><title>${text}</title></item>`);
const inCdata = (text) => inTitle(`<![CDATA[${text}]]>`);

/** Texts that cost a reader the square of their length, or its stack or memory, if it does not take care. */
const SHAPES = [
  () => `<rss><channel>${fill("<item><title</item>")}`,
  () => fill("<rss "),
  () => fill("<a:rss "),
  () => rss(fill("<item>")),
  () => `<rss><channel>${fill("<item ")}`,
  () => `<feed>${fill("<entry><title</entry>")}`,
  () => rss(fill("<item><title>a</title><b></item>")),
  () => `<rss ${fill("a='1' ", SIZE / 2)}><channel>${fill("<item><b</item>", SIZE / 2 - 500)}`,
  () => rss(`<item>${fill("<x>", SIZE / 2)}${fill("</x>", SIZE / 2 - 500)}</item>`),
  () => rss(`<item ${fill("a='1' ")}><title>a</title></item>`),
  () => rss(`<item ${numbered((n) => `a${n}='1' `)}><title>a</title></item>`),
  () => rss(`<item a="${fill("x")}><title>a</title></item>`),
  () => rss(`<item><title>a</title><x ${fill("a=")}/></item>`),
  () => rss(`<item><title>a</title>${numbered((n) => `<x${n}/>`)}</item>`),
  () => `<rss ${numbered((n) => `xmlns:a${n}="u" `)}><channel><item><title>a</title></item></channel></rss>`,
  () => rss(`<item><title>a</title><author>${fill("a@(")}</author></item>`),
  () => rss(`<managingEditor>${fill("a (b")}</managingEditor><item><title>a</title></item>`),
  () => inTitle(fill("<!--")),
  () => inCdata(fill("<!--")),
  () => inTitle(fill("<![CDATA[")),
  () => inCdata(fill("<script>")),
  () => inCdata(fill("<a ")),
  () => inCdata(fill("<p")),
  () => inTitle(fill("&")),
  () => inTitle(fill("&amp;")),
  () => inTitle(fill("&#1")),
  () => inTitle(`${fill("<b>", SIZE / 2)}${fill("</b>", SIZE / 2 - 500)}`),
  () => inTitle(fill(" ")),
  () => inTitle(fill("比特")),
  () => inTitle(fill("😀")),
  () => inTitle(fill("A (")),
  () => fill("\n"),
  () => fill("\0"),
  () => fill("\xff"),
  () => `<!DOCTYPE x [${numbered((n) => `<!ENTITY a${n} "&a${n - 1};&a${n - 1};">`)}]>${inTitle("&a9;")}`,
  () => `<!DOCTYPE x ${fill("[")}`,
  () => fill("<!DOCTYPE "),
  () => `{"version":"https://jsonfeed.org/version/1.1","title":"x","items":${fill("[")}`,
  () => `{"version":"https://jsonfeed.org/version/1.1","title":"x","items":[${fill("{},")}{}]}`,
  () => rss(`<item><title>a</title><pubDate>Fri, 20 Nov 2026 12:00${fill(" ")}x</pubDate></item>`),
  () => rss(`<item><title>a</title><link>https://a.example/?${fill("a=1&")}</link></item>`),
];

export async function open({ token }) {
  const bodies = SHAPES.map((make) => Buffer.from(make()).subarray(0, SIZE));
  const { urls, close } = await serveFeeds(Array.from({ length: COUNT }, (_, n) => () => bodies[n % bodies.length]));
  return {
    config: newsOf(urls),
    async run(daemon) {
      await refresh(daemon, token);
      const { data } = await (await fetch(`${daemon.url}/api/v1/ai/hot-topics`)).json();
      return `${COUNT} feeds, ${JSON.stringify(data.refresh_meta.coverage.news)}`;
    },
    close,
  };
}
