import type { StoredEvent } from "../event.ts";

/** How often answers were called helpful, and how often inaccurate. */
export interface Votes {
  readonly helpful: number;
  readonly inaccurate: number;
}

/** Feedback on answers, in total and by what was judged. */
export interface FeedbackSummary extends Votes {
  /** By route and sub-intent, null where the event named none; in the order of their names. */
  readonly by_route: readonly (Votes & { readonly route: string | null; readonly sub_intent: string | null })[];
  /** The messages called inaccurate most often first, at most {@link MESSAGES_LISTED}. */
  readonly by_message: readonly (Votes & { readonly message_id: number })[];
}

interface Tally {
  helpful: number;
  inaccurate: number;
}

/** The feedback of one day's log. */
export interface FeedbackDay {
  readonly total: Tally;
  readonly routes: Map<string, Tally>;
  readonly messages: Map<number, Tally>;
}

/** What one day keeps apart. Feedback beyond counts in the total, and routes beyond under no route. */
export const FEEDBACK_LIMITS = { routes: 1000, messages: 50_000 } as const;

/** How many messages a summary lists. */
export const MESSAGES_LISTED = 100;

const NO_ROUTE = JSON.stringify([null, null]);

function tallyOf<K>(tallies: Map<K, Tally>, key: K): Tally {
  let tally = tallies.get(key);
  if (tally === undefined) {
    tally = { helpful: 0, inaccurate: 0 };
    tallies.set(key, tally);
  }
  return tally;
}

export function emptyFeedbackDay(): FeedbackDay {
  return { total: { helpful: 0, inaccurate: 0 }, routes: new Map(), messages: new Map() };
}

/** Takes one event into the day; one without feedback leaves it as it is. */
export function foldFeedback(day: FeedbackDay, event: StoredEvent): void {
  const vote = event.feedback_type;
  if (vote === undefined) return;
  day.total[vote] += 1;
  const route = JSON.stringify([event.route ?? null, event.sub_intent ?? null]);
  const known = day.routes.has(route) || day.routes.size < FEEDBACK_LIMITS.routes;
  tallyOf(day.routes, known ? route : NO_ROUTE)[vote] += 1;
  const message = event.message_id;
  if (message !== undefined && (day.messages.has(message) || day.messages.size < FEEDBACK_LIMITS.messages)) {
    tallyOf(day.messages, message)[vote] += 1;
  }
}

/** The feedback of several days together. */
export function summarizeFeedback(days: readonly FeedbackDay[]): FeedbackSummary {
  const all = emptyFeedbackDay();
  const add = (to: Tally, from: Tally): void => {
    to.helpful += from.helpful;
    to.inaccurate += from.inaccurate;
  };
  for (const day of days) {
    add(all.total, day.total);
    for (const [route, tally] of day.routes) add(tallyOf(all.routes, route), tally);
    for (const [message, tally] of day.messages) add(tallyOf(all.messages, message), tally);
  }
  const routes = [...all.routes].sort(([a], [b]) => (a < b ? -1 : 1));
  const messages = [...all.messages].sort(
    ([a, x], [b, y]) => y.inaccurate - x.inaccurate || y.helpful - x.helpful || a - b,
  );
  return {
    ...all.total,
    by_route: routes.map(([key, tally]) => {
      const [route, sub_intent] = JSON.parse(key) as [string | null, string | null];
      return { route, sub_intent, ...tally };
    }),
    by_message: messages.slice(0, MESSAGES_LISTED).map(([message_id, tally]) => ({ message_id, ...tally })),
  };
}
