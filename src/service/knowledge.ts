import type { HostedAssistant } from "../assistant/hosted-assistant.ts";
import type { Passage } from "../assistant/passage.ts";
import type { News, NewsSnapshot } from "../news/news.ts";
import { promptly } from "./promptly.ts";

/** What the assistant may quote: published news, notices and help articles, learned again when they change. */
export type Knowledge = ReturnType<typeof createKnowledge>;

export function createKnowledge(deps: { news: News; assistant: HostedAssistant }) {
  let last: { readonly snapshot: NewsSnapshot; readonly learned: Promise<number> } | undefined;
  /** The content that was learned last; 0 before the first. */
  let known = 0;

  async function learn(snapshot: NewsSnapshot): Promise<number> {
    try {
      await deps.assistant.learn(passagesOf(snapshot));
      return (known += 1);
    } catch (error) {
      // Tried again with the next question.
      if (last?.snapshot === snapshot) last = undefined;
      throw error;
    }
  }

  return {
    /**
     * Waits until there is something to answer from: the last content, or the one before while much is new.
     *
     * @returns the number of the content
     */
    async ready(): Promise<number> {
      const snapshot = await deps.news.current();
      if (last === undefined || !sameContent(last.snapshot, snapshot)) last = { snapshot, learned: learn(snapshot) };
      return known === 0 ? last.learned : promptly(last.learned, known);
    },
  };
}

/** Snapshots share the arrays that did not change from one to the next. */
function sameContent(a: NewsSnapshot, b: NewsSnapshot): boolean {
  return a.items === b.items && a.notices === b.notices && a.help === b.help;
}

function passagesOf(snapshot: NewsSnapshot): Passage[] {
  const help = snapshot.help.map(({ id, title, aliases, body: text, url, lang, updated_at: published_at }): Passage => {
    return { id, kind: "help", title, ...(aliases !== undefined && { aliases }), text, url, lang, published_at };
  });
  const notices = snapshot.notices.map(({ id, title, body: text, url, lang, published_at, symbols }): Passage => {
    return { id, kind: "notice", title, text, url, lang, published_at, symbols };
  });
  const news = snapshot.items.map(({ id, title, summary: text, url, lang, published_at, symbols }): Passage => {
    return { id, kind: "news", title, text, url, lang, published_at, symbols };
  });
  return [...help, ...notices, ...news];
}
