import { feedbackByArticle, type ArticleFeedback } from "../../../admin/article-feedback.ts";
import type { EventStats } from "../../../events/projections/event-stats.ts";
import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { optional, oneOf } from "../../framework/param.ts";
import { formatOf, printRows } from "../../terminal/print.ts";
import { withSession } from "../../target/operations.ts";
import { dayRangeFlags, inDayRange } from "./day-range.ts";

interface Row {
  readonly by: "type" | "day" | "feedback";
  readonly name: string;
  readonly count: number;
}

export const stats = defineCommand({
  summary: "Count events by type, day and feedback, or feedback by article",
  options: {
    ...dayRangeFlags,
    by: optional("what", "article: join feedback to the articles that the answers quote", oneOf("article")),
  },
  async run({ by, ...range }, context) {
    await inDayRange(range, (onDamage) =>
      withSession(context, async ({ service }) => {
        if (by === undefined) await printStats(await service.events.stats(range, onDamage), context);
        else await printArticles(await feedbackByArticle(service.storage, range, onDamage), context);
      }),
    );
  },
});

async function printStats(data: EventStats, context: Context): Promise<void> {
  await printRows(context, {
    data,
    rows: toRows(data),
    columns: [{ name: "by" }, { name: "name", wide: true }, { name: "count" }],
  });
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

function toRows({ by_type, by_day, feedback }: EventStats): Row[] {
  return [
    ...by_type.map(({ event_type, count }): Row => ({ by: "type", name: event_type, count })),
    ...by_day.map(({ day: name, count }): Row => ({ by: "day", name, count })),
    { by: "feedback", name: "helpful", count: feedback.helpful },
    { by: "feedback", name: "inaccurate", count: feedback.inaccurate },
  ];
}
