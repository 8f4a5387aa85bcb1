import type { Assistant } from "../assistant/assistant.ts";
import type { Passage } from "../assistant/passage.ts";
import type { News, NewsSnapshot } from "../news/news.ts";

type PassageIndex = ReturnType<Assistant["index"]>;

/** What the assistant may quote: published news, notices and help articles, indexed again when they change. */
export interface Knowledge {
  index(): Promise<PassageIndex>;
}

export function createKnowledge(deps: { news: News; assistant: Assistant }): Knowledge {
  let indexed: { snapshot: NewsSnapshot; index: PassageIndex } | undefined;
  return {
    async index() {
      const snapshot = await deps.news.current();
      if (indexed === undefined || !sameContent(indexed.snapshot, snapshot)) {
        indexed = { snapshot, index: deps.assistant.index(passagesOf(snapshot)) };
      }
      return indexed.index;
    },
  };
}

/** Snapshots share the arrays that did not change from one to the next. */
function sameContent(a: NewsSnapshot, b: NewsSnapshot): boolean {
  return a.items === b.items && a.notices === b.notices && a.help === b.help;
}

function passagesOf(snapshot: NewsSnapshot): Passage[] {
  const help = snapshot.help.map(({ id, title, body, url, lang, updated_at }): Passage => ({
    id,
    kind: "help",
    title,
    text: body,
    url,
    lang,
    published_at: updated_at,
  }));
  const notices = snapshot.notices.map(({ id, title, body, url, lang, published_at, symbols }): Passage => ({
    id,
    kind: "notice",
    title,
    text: body,
    url,
    lang,
    published_at,
    symbols,
  }));
  const news = snapshot.items.map(({ id, title, summary, url, lang, published_at, symbols }): Passage => ({
    id,
    kind: "news",
    title,
    text: summary,
    url,
    lang,
    published_at,
    symbols,
  }));
  return [...help, ...notices, ...news];
}
