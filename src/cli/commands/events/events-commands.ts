import { CommandFailure, defineCommand, defineGroup, EXIT, UsageError, type Context } from "../../framework/command.ts";
import { replay } from "./replay.ts";
import { runOperation, withSession } from "../../target/operations.ts";
import { anyText, free, idempotencyKey, integer, oneOf, optional } from "../../params/param.ts";
import { required, userParam, word, type Values } from "../../params/param.ts";
import { eventBody } from "../../../contract/schemas/event-schemas.ts";
import { findLossyValues } from "../../../runtime/json/lossy-json.ts";
import { isRecord } from "../../../runtime/json/json-values.ts";
import { parseOrError } from "../../../runtime/json/parse-json.ts";
import { formatOf, printRecord, printTable } from "../../terminal/print.ts";
import { feedbackByArticle } from "../../../admin/article-feedback.ts";
import { printLines, SkippedDamage } from "../../framework/with-progress.ts";
import { dayIn, since, until } from "../../framework/time-format.ts";
import type { TimeRange } from "../../../events/log/day-log.ts";
import type { Session } from "../../target/open-session.ts";

const rangeFlags = { from: optional(since), to: optional(until) };

const exportEvents = defineCommand("events export", {
  options: rangeFlags,
  run: (flags, context) =>
    inRange(context, flags, async ({ service: { events } }, { range, onDamage }) => {
      const advice = "--from with the day of the last event printed goes on there.";
      await printLines(context, advice, events.export(range, onDamage), "events");
    }),
});

const stats = defineCommand("events stats", {
  options: { ...rangeFlags, by: optional(oneOf("article")) },
  run: ({ by, ...flags }, context) =>
    inRange(context, flags, async ({ service: { events, storage } }, { range, zone, onDamage }) => {
      if (by === "article") {
        const rows = await feedbackByArticle(storage, range, onDamage);
        await printTable(context, {
          table: "articles",
          rows,
          cells: {
            article: { of: ({ article }) => (article === null ? "" : `${article.id} (${article.lang})`) },
            routes: { of: ({ routes }) => routes.join(", ") },
            questions: { of: ({ questions }) => questions.join(" · ") },
          },
        });
        return;
      }
      const data = await events.stats(range, onDamage, (ms) => dayIn(ms, zone));
      const rows = [
        ...data.by_type.map(({ event_type: name, count }) => ({ by: "type", name, count })),
        ...data.by_day.map(({ day: name, count }) => ({ by: "day", name, count })),
        ...Object.entries(data.feedback).map(([name, count]) => ({ by: "feedback", name, count })),
      ];
      await printTable(context, { table: "event statistics", data, rows });
      if (formatOf(context) === "table")
        await context.terminal.write(`\n${data.events} events of ${data.users} users.\n`);
    }),
});

/** Reads the events of a range and skips damaged batches, which are reported after the others were read.
 * @throws UsageError when the range ends before it starts */
async function inRange(
  context: Context,
  flags: Values<typeof rangeFlags>,
  read: (session: Session, of: { range: TimeRange; zone: string; onDamage: (error: Error) => void }) => Promise<void>,
): Promise<void> {
  const skipped = new SkippedDamage();
  await withSession(context, async (session) => {
    const { zone } = session;
    const now = context.clock.now();
    const range = { from: flags.from?.(now, zone), to: flags.to?.(now, zone) };
    if ((range.from ?? 0) > (range.to ?? Infinity)) throw new UsageError("--from must not be after --to.");
    await read(session, { range, zone, onDamage: skipped.add });
  });
  skipped.fail(EXIT.partial, `${skipped.count} damaged batches of events were left out:`);
}

const record = defineCommand("events record", {
  arguments: { type: required(word) },
  options: {
    user: userParam(),
    session: optional(integer()),
    message: optional(integer()),
    route: optional(anyText),
    subIntent: optional(anyText),
    feedback: optional(oneOf(...eventBody.shape.feedback_type.unwrap().options)),
    payload: optional(free(keptObject)),
    idempotencyKey: optional(idempotencyKey),
  },
  async run({ user, idempotencyKey, ...event }, context) {
    const { type: event_type, session: session_id, message: message_id, route, subIntent: sub_intent } = event;
    const { feedback: feedback_type, payload: event_payload } = event;
    const body = { event_type, session_id, message_id, route, sub_intent, feedback_type, event_payload };
    const { data } = await runOperation(context, "recordEvent", { user, idempotencyKey, input: { body } });
    await printRecord(context, data);
    if (!data.stored)
      throw new CommandFailure(EXIT.unreachable, "The event was not stored: the log cannot be written.");
  },
});

/** Reads a JSON object; refuses values that JSON.parse would change silently. */
function keptObject(typed: string): object {
  const value = parseOrError(typed);
  if (value instanceof Error) throw new RangeError(`must be JSON: ${value.message}`);
  if (!isRecord(value)) throw new RangeError("must be a JSON object");
  const [lossy] = findLossyValues(typed);
  if (lossy !== undefined) throw new RangeError(`is not kept as it is: ${lossy.path.join(".")}: ${lossy.message}`);
  return value;
}

export const command = defineGroup("events", { record, replay, export: exportEvents, stats });
