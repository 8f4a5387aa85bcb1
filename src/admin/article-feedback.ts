import type { SourceItem } from "../assistant/passage.ts";
import { readMessages, type Message } from "../assistant/sessions/messages.ts";
import { loggedEvents, type DayRange, type OnSkipped } from "../events/log/day-log.ts";
import type { Storage } from "../storage/storage.ts";

/** What users say of the answers that quote an article. */
export interface ArticleFeedback {
  /** The article; null for answers without sources. */
  readonly article: Pick<SourceItem, "kind" | "lang" | "id" | "title" | "url"> | null;
  helpful: number;
  inaccurate: number;
  /** Routes of these answers, in the order of their names. */
  readonly routes: readonly string[];
  /** Questions whose answers were inaccurate, the newest first, at most {@link QUESTIONS_LISTED}. */
  readonly questions: readonly string[];
}

/** Questions that are listed for an article. */
export const QUESTIONS_LISTED = 3;
/** Answers that are read at once. */
const BATCH = 100;

type Vote = { readonly user_id: string; readonly feedback: "helpful" | "inaccurate" };

/**
 * Feedback joined to the articles that the answers quote, the most inaccurate first. The last word of a user on an answer
 * counts; feedback on an answer that does not exist, or that somebody else got, does not.
 *
 * @param onSkipped as of `batchesAfter`
 * @throws AnpError 422 when a bound of the range is not a day
 */
export async function feedbackByArticle(storage: Storage, range: DayRange, onSkipped?: OnSkipped) {
  const votes = new Map<number, Vote[]>();
  for await (const { user_id, message_id, feedback_type: feedback } of loggedEvents(storage, range, onSkipped)) {
    if (feedback === undefined || message_id === undefined) continue;
    const others = (votes.get(message_id) ?? []).filter((vote) => vote.user_id !== user_id);
    votes.set(message_id, [...others, { user_id, feedback }]);
  }
  const articles: Articles = new Map();
  // Ids grow with time: the newest questions are kept.
  const ids = Array.from(votes.keys()).sort((a, b) => b - a);
  for (let at = 0; at < ids.length; at += BATCH) {
    for (const message of await readMessages(storage, ids.slice(at, at + BATCH))) {
      const vote = votes.get(message.message_id)!.find(({ user_id }) => user_id === message.user_id);
      if (vote !== undefined) countVote(articles, message, vote.feedback);
    }
  }
  const all = [...articles.values()];
  for (const { routes } of all) routes.sort();
  return all.sort((a, b) => b.inaccurate - a.inaccurate || b.helpful - a.helpful);
}

type Articles = Map<string, ArticleFeedback & { readonly routes: string[]; readonly questions: string[] }>;

function countVote(articles: Articles, { source_items, route, question }: Message, vote: Vote["feedback"]): void {
  for (const source of source_items.length === 0 ? [undefined] : source_items) {
    const key = source === undefined ? "" : `${source.kind} ${source.lang} ${source.id}`;
    const none = { article: articleOf(source), helpful: 0, inaccurate: 0, routes: [], questions: [] };
    const found = articles.get(key) ?? none;
    articles.set(key, found);
    found[vote] += 1;
    if (!found.routes.includes(route)) found.routes.push(route);
    if (vote === "inaccurate" && found.questions.length < QUESTIONS_LISTED) found.questions.push(question);
  }
}

function articleOf(source: SourceItem | undefined): ArticleFeedback["article"] {
  if (source === undefined) return null;
  const { kind, lang, id, title, url } = source;
  return { kind, lang, id, title, url };
}
