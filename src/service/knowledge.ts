import type { HostedAssistant } from "../assistant/hosted-assistant.ts";
import type { Passage } from "../assistant/passage.ts";
import type { News, NewsSnapshot } from "../news/news.ts";
import { staleWhileRevalidate } from "../runtime/cache/stale-while-revalidate.ts";

/** What the assistant may quote: published news, notices and help articles, indexed again when they change. */
export type Knowledge = ReturnType<typeof createKnowledge>;

export function createKnowledge({ news, assistant }: { news: News; assistant: HostedAssistant }) {
  let contents = 0;
  const learn = async (snapshot: NewsSnapshot): Promise<number> => {
    await assistant.learn(passagesOf(snapshot));
    return (contents += 1);
  };
  // Consecutive snapshots share unchanged arrays.
  const isSame = (a: NewsSnapshot, b: NewsSnapshot) =>
    a.items === b.items && a.notices === b.notices && a.help === b.help;
  const learned = staleWhileRevalidate(learn, isSame);
  return {
    /** Waits until content is indexed: the newest, or the one before while much is new. @returns its number */
    ready: async (): Promise<number> => learned(await news.current()),
    /** Waits until the newest content is indexed. @returns its number */
    newest: async (): Promise<number> => learned(await news.current(), true),
  };
}

function passagesOf(snapshot: NewsSnapshot): Passage[] {
  const help = snapshot.help.map(({ aliases, body: text, updated_at: published_at, ...article }): Passage => {
    return { ...article, kind: "help", text, published_at, ...(aliases !== undefined && { aliases }) };
  });
  const notices = snapshot.notices.map(({ body: text, ...notice }): Passage => ({ ...notice, kind: "notice", text }));
  const topics = new Map(snapshot.topics?.members.flatMap(([topic, ids]) => ids.map((id) => [id, topic] as const)));
  // An item that is only a headline is quoted by its headline.
  const news = snapshot.items.map((item): Passage => {
    const { id, title, summary: text, url, lang, published_at, symbols, source: outlet } = item;
    const topic = topics.get(id);
    return { id, kind: "news", title, text: text || title, url, lang, published_at, symbols, outlet, topic };
  });
  return [...help, ...notices, ...news];
}
