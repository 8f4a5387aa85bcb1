import { feedbackByArticle, type ArticleFeedback } from "../../../admin/article-feedback.ts";
import type { EventStats } from "../../../events/projections/event-stats.ts";
import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { EXIT, UsageError } from "../../framework/exit.ts";
import { LeftOut } from "../../framework/left-out.ts";
import { optional, oneOf, type Values } from "../../framework/param.ts";
import { dayIn, since, until } from "../../framework/time-format.ts";
import type { TimeRange } from "../../../events/log/day-log.ts";
import type { Session } from "../../target/open-session.ts";
import { formatOf, printLines, printRows } from "../../terminal/print.ts";
import { withSession } from "../../target/operations.ts";

const rangeFlags = { from: optional(since), to: optional(until) };

export const exportEvents = defineCommand("events export", {
  options: rangeFlags,
  run: (flags, context) =>
    inRange(context, flags, async ({ service: { events } }, { range, onDamage }) => {
      await printLines(context, events.export(range, onDamage));
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

async function printStats(data: EventStats, context: Context): Promise<void> {
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
  await printRows(context, {
    data,
    rows: data.map(({ article, inaccurate, helpful, routes, questions }) => ({
      article: article === null ? "" : `${article.id} (${article.lang})`,
      title: article?.title ?? "",
      inaccurate,
      helpful,
      routes: routes.join(", "),
      questions: questions.join(" · "),
    })),
    columns: [
      { name: "article" },
      { name: "title", wide: true },
      { name: "inaccurate" },
      { name: "helpful" },
      { name: "routes" },
      { name: "questions", wide: true },
    ],
  });
}

interface Reading {
  readonly range: TimeRange;
  readonly zone: string;
  readonly onDamage: (error: Error) => void;
}

/** Reads the events of a range, without the batches that are damaged: those are reported after the others were read.
 * @throws UsageError when the range ends before it starts */
async function inRange(
  context: Context,
  flags: Values<typeof rangeFlags>,
  read: (session: Session, reading: Reading) => Promise<void>,
): Promise<void> {
  const skipped = new LeftOut();
  await withSession(context, async (session) => {
    const zone = session.service.config.quota.timezone;
    const now = context.clock.now();
    const range = { from: flags.from?.(now, zone), to: flags.to?.(now, zone) };
    if ((range.from ?? 0) > (range.to ?? Infinity)) throw new UsageError("--from must not be after --to.");
    await read(session, { range, zone, onDamage: skipped.add });
  });
  skipped.fail(EXIT.partial, (count) => `${count} damaged batches of events were left out:`);
}
