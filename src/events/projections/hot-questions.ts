import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { OperationData } from "../../contract/endpoints.ts";
import { codePoints } from "../../contract/schemas/shared-fields.ts";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import type { Storage } from "../../storage/storage.ts";
import type { OnSkipped } from "../../storage/stream.ts";
import type { Batch, StoredEvent } from "../event.ts";
import { followDay } from "../log/day-log.ts";
import { isPublic, normalizeQuestion, presentQuestion } from "./question-text.ts";

/** The events that count as a question: their payload holds `question` and `lang`. */
export const QUESTION_ASKED = "question_asked";

/** Memory of one day: at most 20,000 different questions of at most 200 code points (few ask longer ones), 64 variants
 * each, and 200,000 occurrences of 24 bytes: about 30 MB when full. What exceeds a limit is not counted. */
export const DAY_LIMITS = { questions: 20_000, length: 200, variants: 64, asked: 200_000 } as const;

/** Each occurrence of one question on one day: time, user and variant, as three columns of one table. */
export interface Occurrences {
  readonly times: number[];
  first: number; // The earliest of the times; `last` is the latest.
  last: number;
  readonly users: number[];
  readonly variants: number[];
  readonly texts: { readonly text: string; readonly lang: string }[]; // As written, with the request's language.
}

type QuestionDay = ReturnType<typeof emptyQuestionDay>; // The questions of one day's log, by their normalized text.

/** A question that several users asked. `count` is how often it was asked. */
export type HotQuestion = Readonly<OperationData<"getHotTopics">["user_hot_questions"][number]>;

/** How many questions are shown, and how many different users must have asked one. */
export type Limits = { readonly limit: number; readonly min_users: number };
type TimeWindow = { readonly from: number; readonly to: number }; // Both included, in milliseconds.

export const emptyQuestionDay = () => ({ questions: new Map<string, Occurrences>(), asked: 0 });

/** Folds one event into the day and the totals; events that are not questions change nothing. */
export function foldQuestion(day: QuestionDay, totals: QuestionTotals, event: StoredEvent): void {
  const { question, lang } = event.event_payload ?? {};
  if (event.event_type !== QUESTION_ASKED || typeof question !== "string" || day.asked >= DAY_LIMITS.asked) return;
  const text = presentQuestion(question);
  if (codePoints(text) > DAY_LIMITS.length) return;
  const key = normalizeQuestion(text);
  if (key === "" || !isPublic(text)) return;
  let asked = day.questions.get(key);
  if (asked === undefined) {
    if (day.questions.size >= DAY_LIMITS.questions) return;
    asked = { times: [], first: Infinity, last: -Infinity, users: [], variants: [], texts: [] };
    day.questions.set(key, asked);
    totals.set(key, [...(totals.get(key) ?? []), asked]);
  }
  day.asked += 1;
  const time = Date.parse(event.created_at);
  asked.times.push(time);
  asked.first = Math.min(asked.first, time);
  asked.last = Math.max(asked.last, time);
  asked.users.push(userHash(event.user_id));
  asked.variants.push(variantOf(asked, text, typeof lang === "string" ? lang.slice(0, 32) : ""));
}

function variantOf(asked: Occurrences, text: string, lang: string): number {
  const at = asked.texts.findIndex((known) => known.text === text && known.lang === lang);
  if (at !== -1) return at;
  return asked.texts.length >= DAY_LIMITS.variants ? 0 : asked.texts.push({ text, lang }) - 1;
}

const mostFrequent = (counts: ReadonlyMap<string, number>): string =>
  Array.from(counts).reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0])[0];

function describe(parts: readonly Occurrences[], { from, to }: TimeWindow) {
  const texts = new Map<string, number>();
  const langs = new Map<string, number>();
  const users = new Set<number>();
  for (const asked of parts) {
    for (const [index, time] of asked.times.entries()) {
      if (time < from || time > to) continue;
      const { text, lang } = asked.texts[asked.variants[index]!]!;
      texts.set(text, (texts.get(text) ?? 0) + 1);
      langs.set(lang, (langs.get(lang) ?? 0) + 1);
      users.add(asked.users[index]!);
    }
  }
  return { question: mostFrequent(texts), lang: mostFrequent(langs), users: users.size };
}

/** When and by whom each question was asked, on each of the days that are kept. */
export type QuestionTotals = Map<string, Occurrences[]>;

/** Removes a day that is no longer kept from the totals. */
export function subtractDay(totals: QuestionTotals, { questions }: QuestionDay): void {
  for (const [key, asked] of questions) {
    const left = totals.get(key)?.filter((other) => other !== asked) ?? [];
    if (left.length > 0) totals.set(key, left);
    else totals.delete(key);
  }
}

/** The questions that at least `min_users` different users asked within the window: the most often asked first, then the
 * most recently asked, then in the order of the text. The text shown is the most frequent variant.
 * @param totals of all days that the window touches, and possibly others */
export function rankQuestions(totals: QuestionTotals, window: TimeWindow, { limit, min_users }: Limits): HotQuestion[] {
  const asked = Array.from(totals.values(), (parts) => countAsked(parts, window));
  const often = asked.filter(({ count }) => count >= min_users);
  often.sort((a, b) => b.count - a.count || b.last - a.last);
  const hot: (HotQuestion & { readonly last: number })[] = [];
  // Users and texts are counted only for the shown questions, and for those that tie with the last of them.
  for (const { parts, count, last } of often) {
    const end = hot[limit - 1];
    if (end !== undefined && (count !== end.count || last !== end.last)) break;
    const inOrder = parts.toSorted((a, b) => a.first - b.first);
    const { question, lang, users } = describe(inOrder, window);
    if (users >= min_users) hot.push({ question, count, lang, last });
  }
  hot.sort((a, b) => b.count - a.count || b.last - a.last || (a.question < b.question ? -1 : 1));
  return hot.slice(0, limit).map(({ question, count, lang }) => ({ question, count, lang }));
}

function countAsked(parts: readonly Occurrences[], { from, to }: TimeWindow) {
  let count = 0;
  let last = -Infinity;
  for (const { times, first, last: latest } of parts) {
    if (latest < from || first > to) continue;
    if (first >= from && latest <= to) {
      count += times.length;
      last = Math.max(last, latest);
      continue;
    }
    for (const time of times) {
      if (time < from || time > to) continue;
      count += 1;
      if (time > last) last = time;
    }
  }
  return { parts, count, last };
}

/** 48 bits of a user id's SHA-256 as a number: enough to distinguish users, smaller than the id, and not reversible to it. */
export const userHash = (userId: string): number => createHash("sha256").update(userId).digest().readUIntBE(0, 6);

const KEPT_DAYS = 32; // Days kept in memory: the longest span that is asked for, 30 × 24 hours, touches 31.

/** A day with all batches folded in, each once, up to the last one that was read. */
function openProjection(storage: Storage, name: string, totals: QuestionTotals, skipped: OnSkipped) {
  let day = emptyQuestionDay();
  let counted = totals;
  function restarted(): void {
    subtractDay(counted, day);
    day = emptyQuestionDay();
  }
  const batch = ({ events }: Batch): void => events.forEach((event) => foldQuestion(day, counted, event));
  return {
    catchUp: followDay(storage, name, { batch, restarted, skipped }).catchUp,
    /** Evicts the day: events that a running read still folds do not count. */
    forget(): void {
      restarted();
      counted = new Map();
    },
  };
}

/** Keeps days of the log folded in memory. A day is read once. After that an update costs one read that finds nothing,
 * or reads the batches appended since (a replay may append to any day).
 * @param onSkipped called for damaged or missing batches, which are not counted */
export function createProjections(storage: Storage, onSkipped: OnSkipped) {
  const totals: QuestionTotals = new Map();
  const mutex = createKeyedMutex();
  const cached = new LRUCache<string, ReturnType<typeof openProjection>>({
    max: KEPT_DAYS,
    memoMethod: (day) => openProjection(storage, day, totals, onSkipped),
    dispose: (day) => day.forget(),
  });
  return {
    totals, // Of all days that are kept.
    /** Brings the given days up to date. @throws StorageError when a day cannot be read */
    async update(days: readonly string[]): Promise<void> {
      for (const day of days) await mutex(day, cached.memo(day).catchUp);
    },
  };
}
