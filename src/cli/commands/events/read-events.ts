import { feedbackByArticle, type ArticleFeedback } from "../../../admin/article-feedback.ts";
import type { countEvents } from "../../../events/projections/event-stats.ts";
import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { EXIT, UsageError } from "../../framework/command-failure.ts";
import { SkippedDamage } from "../../framework/skipped-damage.ts";
import { printLong } from "../../framework/long-work.ts";
import { optional, oneOf, type Values } from "../../params/param.ts";
import { dayIn, since, until } from "../../framework/time-format.ts";
import type { TimeRange } from "../../../events/log/day-log.ts";
import type { Session } from "../../target/open-session.ts";
import { columnsOf } from "../../terminal/column.ts";
import { formatOf, printRows } from "../../terminal/print.ts";
import { withSession } from "../../target/operations.ts";

const rangeFlags = { from: optional(since), to: optional(until) };

export const exportEvents = defineCommand("events export", {
  options: rangeFlags,
  run: (flags, context) =>
    inRange(context, flags, async ({ service: { events } }, { range, onDamage }) => {
      const howToGoOn = "--from with the day of the last event printed goes on there.";
      await printLong(context, howToGoOn, events.export(range, onDamage), "events");
    }),
});

export const stats = defineCommand("events stats", {
  options: { ...rangeFlags, by: optional(oneOf("article")) },
  run: ({ by, ...flags }, context) =>
    inRange(context, flags, async ({ service: { events, storage } }, { range, zone, onDamage }) => {
      if (by === undefined) await printStats(await events.stats(range, onDamage, (ms) => dayIn(ms, zone)), context);
      else await printArticles(await feedbackByArticle(storage, range, onDamage), context);
    }),
});

async function printStats(data: Awaited<ReturnType<typeof countEvents>>, context: Context): Promise<void> {
  const rows = [
    ...data.by_type.map(({ event_type, count }) => ({ by: "type", name: event_type, count })),
    ...data.by_day.map(({ day: name, count }) => ({ by: "day", name, count })),
    ...Object.entries(data.feedback).map(([name, count]) => ({ by: "feedback", name, count })),
  ];
  await printRows(context, { data, rows, columns: [{ name: "by" }, { name: "name", wide: true }, { name: "count" }] });
  if (formatOf(context) !== "table") return;
  await context.terminal.write(`\n${data.events} events of ${data.users} users.\n`);
}

async function printArticles(data: readonly ArticleFeedback[], context: Context): Promise<void> {
  const columns = columnsOf<ArticleFeedback>(
    { name: "article", of: ({ article }) => (article === null ? "" : `${article.id} (${article.lang})`) },
    { name: "title", of: ({ article }) => article?.title ?? "", wide: true },
    "inaccurate",
    "helpful",
    { name: "routes", of: ({ routes }) => routes.join(", ") },
    { name: "questions", of: ({ questions }) => questions.join(" · "), wide: true },
  );
  await printRows(context, { rows: data, columns });
}

/** Reads the events of a range, without the batches that are damaged: those are reported after the others were read.
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
  skipped.fail(EXIT.partial, (count) => `${count} damaged batches of events were left out:`);
}
