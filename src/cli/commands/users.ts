import type { UserProfile } from "../../accounts/users.ts";
import type { ChargedQuestion, UserOverview } from "../../admin/user-overview.ts";
import type { UserFeedback } from "../../events/projections/user-feedback.ts";
import type { Context } from "../framework/command-context.ts";
import { defineCommand, defineGroup } from "../framework/define-command.ts";
import { CommandFailure, EXIT } from "../framework/exit.ts";
import { knownUser, optional, required, integer, oneOf, userId } from "../framework/param.ts";
import { showAge, showLocal, showReset } from "../framework/time-format.ts";
import { ledgerColumns } from "./ledger/ledger-columns.ts";
import { showFeatures } from "./subscription.ts";
import { USER_OR_TOKEN, findUser, withAccounts } from "../target/operations.ts";
import type { Column } from "../terminal/column.ts";
import { formatOf, printRecord, printRows, showInstant } from "../terminal/print.ts";
import { tokenColumns } from "./tokens.ts";

const COLUMNS: readonly Column<UserProfile>[] = [
  { name: "user_id", wide: true },
  { name: "free_daily_quota", show: ({ free_daily_quota }) => String(free_daily_quota ?? "default") },
  { name: "lang" },
  { name: "created_at", show: ({ created_at }) => showInstant(created_at) },
];

const list = defineCommand({
  summary: "List all users",
  async run(_values, context) {
    const rows: UserProfile[] = [];
    await withAccounts(context, async ({ service }) => {
      for await (const profile of service.users.list()) rows.push(profile);
    });
    rows.sort((a, b) => (a.user_id < b.user_id ? -1 : 1));
    await printRows(context, { data: rows, rows, columns: COLUMNS });
    if (rows.length === 0) context.terminal.say("There are no users. `anp users create USER` creates one.");
  },
});

const show = defineCommand({
  summary: "Show a user's points, quota, plan, tokens, last questions and entries",
  arguments: { user: knownUser("USER", USER_OR_TOKEN) },
  async run({ user }, context) {
    const overview = await withAccounts(context, async ({ service }) => {
      const { userOverview } = await import("../../admin/user-overview.ts");
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
  { name: "entry", spare: true },
  { name: "question", wide: true },
];

const feedbackColumns = (now: number): readonly Column<UserFeedback>[] => [
  { name: "age", of: ({ created_at }) => showAge(created_at, now) },
  { name: "feedback_type", title: "feedback" },
  { name: "message_id", of: ({ message_id }) => String(message_id ?? ""), title: "message" },
  { name: "route", of: ({ route, sub_intent }) => [route, sub_intent].filter(Boolean).join("/") },
];

const create = defineCommand({
  summary: "Create a user",
  arguments: { user: required("USER", "id of the user, 1 to 128 characters", userId) },
  options: {
    quota: optional("n", "free uses a day; the configured default when left out", integer(0)),
    lang: optional("lang", "language the user reads: zh or en; zh when left out", oneOf("zh", "en")),
  },
  async run({ user, quota, lang }, context) {
    const details = await withAccounts(
      context,
      async ({ service }) => {
        const { userDetails } = await import("../../admin/user-overview.ts");
        if (await service.users.create(user, { free_daily_quota: quota, lang })) return userDetails(service, user);
        throw new CommandFailure(EXIT.failure, `User ${user} already exists.`);
      },
      { create: true },
    );
    await printRecord(context, details);
  },
});

export const command = defineGroup({ list, show, create });
