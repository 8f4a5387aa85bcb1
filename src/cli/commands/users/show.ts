import type { UserFeedback } from "../../../events/projections/user-feedback.ts";
import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { knownUser } from "../../framework/param.ts";
import type { Column } from "../../terminal/column.ts";
import { formatOf, printRecord, printRows } from "../../terminal/print.ts";
import { withAccounts } from "../../target/session.ts";
import { USER_OR_TOKEN, findUser } from "../../target/find-user.ts";
import { showAge, showLocal, showReset } from "../../framework/time-format.ts";
import { ledgerColumns } from "../ledger/ledger-columns.ts";
import { showFeatures } from "../subscription/subscription-display.ts";
import { tokenColumns } from "../tokens/token-columns.ts";
import type { ChargedQuestion, UserOverview } from "../../../admin/user-overview.ts";

export const show = defineCommand({
  name: "show",
  summary: "Show a user's points, quota, plan, tokens, last questions and entries",
  description:
    "Show what support needs to know about a user: points, quota, plan, tokens, the last questions and entries, and " +
    "feedback of the last 7 days. A terminal and JSON show the lists; tab-separated output and CSV leave them out.",
  arguments: { user: knownUser("USER", USER_OR_TOKEN) },
  options: {},
  examples: ["users show alice", "users show anp_Xk3v", "users show alice --json"],
  async run({ user }, context) {
    const overview = await withAccounts(context, async ({ service }) => {
      const { userOverview } = await import("../../../admin/user-overview.ts");
      return userOverview(service, await findUser(service, user));
    });
    const format = formatOf(context);
    if (format === "table") await printOverview(context, overview);
    else {
      const { details, ...lists } = overview;
      await printRecord(context, format === "json" || format === "jsonl" ? { ...details, ...lists } : details);
    }
  },
});

async function printOverview(context: Context, overview: UserOverview): Promise<void> {
  const { terminal } = context;
  const now = context.clock.now();
  const { details } = overview;
  const features = showFeatures(overview.features);
  const { user_id, lang, created_at, balance, total_earned, total_spent, plan, subscription } = details;
  const { free_daily_quota, remaining_free_quota, next_reset_at } = details;
  const { tokens, last_questions, last_entries, feedback } = overview;
  await printRecord(context, {
    user: `${user_id}, reads ${lang}, since ${showLocal(created_at)}`,
    points: `${balance} (earned ${total_earned}, spent ${total_spent})`,
    free_uses: `${remaining_free_quota} of ${free_daily_quota} left, reset ${showReset(next_reset_at, now)}`,
    plan: `${plan} (${subscription})${features === "" ? "" : `: ${features}`}`,
  });

  async function section<T extends object>(title: string, rows: readonly T[], columns: readonly Column<T>[]) {
    await terminal.write(`\n${terminal.paint("bold", title)}${rows.length === 0 ? ": none" : ""}\n`);
    if (rows.length > 0) await printRows(context, { data: rows, rows, columns });
  }
  await section("Tokens", tokens, tokenColumns(now));
  await section("Last questions", last_questions, questionColumns(now));
  await section("Last entries", last_entries, ledgerColumns(now));
  await section("Feedback of the last 7 days", feedback, feedbackColumns(now));
}

const questionColumns = (now: number): readonly Column<ChargedQuestion>[] => [
  { name: "message_id", of: ({ message_id }) => String(message_id), title: "message" },
  { name: "age", of: ({ created_at }) => showAge(created_at, now) },
  { name: "route", of: ({ route, sub_intent }) => `${route}/${sub_intent}`, spare: true },
  {
    name: "cost",
    of: ({ points_cost, free_use }) => (free_use ? "free use" : points_cost === 0 ? "none" : String(points_cost)),
  },
  { name: "entry", of: ({ entry }) => entry, spare: true },
  { name: "question", of: ({ question }) => question, wide: true },
];

const feedbackColumns = (now: number): readonly Column<UserFeedback>[] => [
  { name: "age", of: ({ created_at }) => showAge(created_at, now) },
  { name: "feedback_type", of: ({ feedback_type }) => feedback_type, title: "feedback" },
  {
    name: "message_id",
    of: ({ message_id }) => (message_id === undefined ? "" : String(message_id)),
    title: "message",
  },
  { name: "route", of: ({ route, sub_intent }) => [route, sub_intent].filter(Boolean).join("/") },
];
