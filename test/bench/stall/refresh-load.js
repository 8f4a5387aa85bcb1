// A refresh of many items, all of them new. BENCH_ITEMS: how many (default 10,000; at most 20,000).
import { newsOf, refresh, serveFeeds } from "./feed-server.js";
import { feed } from "./generated-news.js";

const COUNT = Number(process.env.BENCH_ITEMS ?? 10_000);
const PER_FEED = 1000;

export async function open({ token }) {
  let bodies = [];
  const renew = () => {
    const of = { items: PER_FEED, every_ms: COUNT / PER_FEED };
    bodies = Array.from({ length: COUNT / PER_FEED }, (_, n) => Buffer.from(feed(n, of)));
  };
  renew();
  const { urls, close } = await serveFeeds(bodies.map((_, n) => () => bodies[n]));
  return {
    config: newsOf(urls, { max_items: COUNT }),
    async before() {
      renew();
    },
    async run(daemon) {
      const { news_updated_count, topic_rebuild_count } = await refresh(daemon, token);
      return `${news_updated_count} items, ${topic_rebuild_count} topics`;
    },
    close,
  };
}
