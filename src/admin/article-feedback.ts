import type { SourceItem } from "../assistant/passage.ts";
import { readMessages } from "../assistant/sessions/messages.ts";
import { readEvents, type TimeRange } from "../events/log/day-log.ts";
import type { OnSkipped } from "../storage/stream.ts";
import { batchesOf } from "../runtime/batches.ts";
import type { Storage } from "../storage/storage.ts";

const QUESTIONS_LISTED = 3;
type Vote = "helpful" | "inaccurate";

/** Feedback on the answers that quote an article; null for answers without sources. */
const noFeedback = (article: Pick<SourceItem, "kind" | "lang" | "id" | "title" | "url"> | null) => ({
  article,
  helpful: 0,
  inaccurate: 0,
  routes: [] as string[], // Routes of these answers, in the order of their names.
  questions: [] as string[], // Those whose answers were inaccurate, the newest first, at most QUESTIONS_LISTED.
});

/** Feedback joined to the articles that the answers quote, the most inaccurate first. The last word of a user on an
 * answer counts; feedback on an answer that does not exist, or that somebody else got, does not. */
export async function feedbackByArticle(storage: Storage, range: TimeRange, onSkipped?: OnSkipped) {
  const votes = new Map<number, Map<string, Vote>>();
  for await (const { user_id, message_id, feedback_type } of readEvents(storage, range, onSkipped)) {
    if (feedback_type === undefined || message_id === undefined) continue;
    votes.set(message_id, (votes.get(message_id) ?? new Map<string, Vote>()).set(user_id, feedback_type));
  }
  const articles = new Map<string, ReturnType<typeof noFeedback>>();
  const newestFirst = [...votes.keys()].sort((a, b) => b - a); // Ids grow with time: the newest questions are kept.
  for await (const ids of batchesOf(newestFirst, 100))
    for (const { message_id, user_id, source_items, route, question } of await readMessages(storage, ids)) {
      const vote = votes.get(message_id)!.get(user_id);
      if (vote === undefined) continue;
      const quoted = source_items.map(({ kind, lang, id, title, url }) => ({ kind, lang, id, title, url }));
      for (const article of quoted.length === 0 ? [null] : quoted) {
        const key = article === null ? "" : `${article.kind} ${article.lang} ${article.id}`;
        const found = articles.get(key) ?? noFeedback(article);
        articles.set(key, found);
        found[vote] += 1;
        if (!found.routes.includes(route)) found.routes.push(route);
        if (vote === "inaccurate" && found.questions.length < QUESTIONS_LISTED) found.questions.push(question);
      }
    }
  const all = [...articles.values()];
  for (const { routes } of all) routes.sort();
  return all.sort((a, b) => b.inaccurate - a.inaccurate || b.helpful - a.helpful);
}
