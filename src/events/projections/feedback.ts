import type { StoredEvent } from "../event.ts";

/** Counts of feedback by kind. */
export interface Votes {
  readonly helpful: number;
  readonly inaccurate: number;
}

/** Feedback on answers, in total, by route and by message. */
export interface FeedbackSummary extends Votes {
  /** By route and sub-intent, null where the event named none; in the order of their names. */
  readonly by_route: readonly (Votes & { readonly route: string | null; readonly sub_intent: string | null })[];
  /** The messages with most `inaccurate` first, at most {@link MESSAGES_LISTED}. */
  readonly by_message: readonly (Votes & { readonly message_id: number })[];
}

interface MutableVotes {
  helpful: number;
  inaccurate: number;
}

/** The feedback of one day's log. */
export interface FeedbackDay {
  readonly total: MutableVotes;
  readonly routes: Map<string, MutableVotes>;
  readonly messages: Map<number, MutableVotes>;
}

/** Limits of one day. Feedback beyond them counts in the total; further routes count under no route. */
export const FEEDBACK_LIMITS = { routes: 1000, messages: 50_000 } as const;

/** How many messages a summary lists. */
export const MESSAGES_LISTED = 100;

const NO_ROUTE = JSON.stringify([null, null]);

function votesOf<K>(counters: Map<K, MutableVotes>, key: K): MutableVotes {
  let votes = counters.get(key);
  if (votes === undefined) {
    votes = { helpful: 0, inaccurate: 0 };
    counters.set(key, votes);
  }
  return votes;
}

export function emptyFeedbackDay(): FeedbackDay {
  return { total: { helpful: 0, inaccurate: 0 }, routes: new Map(), messages: new Map() };
}

/** Folds one event into the day; events without feedback change nothing. */
export function foldFeedback(day: FeedbackDay, event: StoredEvent): void {
  const vote = event.feedback_type;
  if (vote === undefined) return;
  day.total[vote] += 1;
  const route = JSON.stringify([event.route ?? null, event.sub_intent ?? null]);
  const known = day.routes.has(route) || day.routes.size < FEEDBACK_LIMITS.routes;
  votesOf(day.routes, known ? route : NO_ROUTE)[vote] += 1;
  const message = event.message_id;
  if (message !== undefined && (day.messages.has(message) || day.messages.size < FEEDBACK_LIMITS.messages)) {
    votesOf(day.messages, message)[vote] += 1;
  }
}

/** The feedback of several days together. */
export function summarizeFeedback(days: readonly FeedbackDay[]): FeedbackSummary {
  const all = emptyFeedbackDay();
  const add = (to: MutableVotes, from: MutableVotes): void => {
    to.helpful += from.helpful;
    to.inaccurate += from.inaccurate;
  };
  for (const day of days) {
    add(all.total, day.total);
    for (const [route, votes] of day.routes) add(votesOf(all.routes, route), votes);
    for (const [message, votes] of day.messages) add(votesOf(all.messages, message), votes);
  }
  const routes = [...all.routes].sort(([a], [b]) => (a < b ? -1 : 1));
  const messages = [...all.messages].sort(
    ([a, x], [b, y]) => y.inaccurate - x.inaccurate || y.helpful - x.helpful || a - b,
  );
  return {
    ...all.total,
    by_route: routes.map(([key, votes]) => {
      const [route, sub_intent] = JSON.parse(key) as [string | null, string | null];
      return { route, sub_intent, ...votes };
    }),
    by_message: messages.slice(0, MESSAGES_LISTED).map(([message_id, votes]) => ({ message_id, ...votes })),
  };
}
