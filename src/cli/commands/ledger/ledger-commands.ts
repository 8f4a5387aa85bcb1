import { CommandFailure, type Context, defineCommand, defineGroup, EXIT } from "../../framework/command.ts";
import { list, printAll } from "./list.ts";
import { verify } from "./verify.ts";
import type { Entry } from "../../../ledger/entry.ts";
import { countTo, INCOMPLETE, withProgress, printLines, SkippedDamage } from "../../framework/with-progress.ts";
import { anyText, integer, name, oneOf, optional, required, toggle, userId, userParam } from "../../params/param.ts";
import { type AccountOperations, findUser, withAccountOperations, withAccounts } from "../../target/operations.ts";
import { formatOf, openRowPrinter, printRecord, printTable, tableColumns, type Column } from "../../terminal/print.ts";
import { toIso } from "../../../runtime/clock.ts";
import { dayIn, showAge, showTime, showTimeIn } from "../../framework/time-format.ts";
import { recentFlags, selectionFlags, selectionOf } from "./selection-flags.ts";
import { newestFirst, summarizeLedger, toLedgerRow } from "../../../admin/ledger-reader.ts";
import type { FoundEntry } from "../../../admin/search-ledgers.ts";
import { cleanText } from "../../terminal/clean-text.ts";

const SEARCHED = "The storage is damaged. Everything else was searched.";

const show = defineCommand("ledger show", {
  arguments: { id: required(name(128)) },
  options: { user: optional(userId, "user") },
  run: ({ id, user }, context) =>
    withAccounts(context, async ({ service, zone }) => {
      const { findEntries } = await import("../../../admin/search-ledgers.ts");
      const who = user === undefined ? undefined : await findUser(context, service, user);
      const { skipUsers } = await import("../../../accounts/users.ts");
      const damage = new SkippedDamage();
      const found = await withProgress(context, "With --user it takes less time.", (report) =>
        findEntries(service, id, countTo(report, "users searched"), skipUsers(damage.add), who),
      );
      if (found.length === 0) {
        const where = user === undefined ? "any ledger" : `the ledger of ${user}`;
        damage.fail(EXIT.failure, `${id} was not found. ${SEARCHED}`);
        throw new CommandFailure(EXIT.notFound, `${id} was not found in ${where}.`);
      }
      if (found.length === 1) await printEntry(context, found[0]!, zone);
      else {
        const rows = found.map(({ entry }) => toFoundRow(entry));
        await printTable(context, { table: "found entries", rows, zone });
        context.terminal.say(
          `${found.length} entries match: show one by its number, as entry:${rows[0]!.id}, and --user.`,
        );
      }
      damage.fail(EXIT.failure, SEARCHED);
    }),
});

const toFoundRow = (entry: Entry) => ({ user_id: entry.user_id, ...toLedgerRow(entry) });
async function* foundRows(entries: AsyncIterable<Entry>) {
  for await (const entry of entries) yield toFoundRow(entry);
}

async function printEntry(context: Context, { entry, message, reversed_by }: FoundEntry, zone: string): Promise<void> {
  const { id: entry_id, created_at, type, delta, balance_after, free_use, ...row } = toLedgerRow(entry);
  const { description, ref_id, ...adjusted } = row;
  const { message_id = null, session_id = null, model_name = null, question = null, answer = null } = message ?? {};
  const route = message === undefined ? null : `${message.route}/${message.sub_intent}`;
  const made = { user_id: entry.user_id, entry_id, created_at, type, delta, balance_after, free_use, description };
  const charge = { ...made, ...adjusted, reversed_by, ref_id, message_id, session_id, route, model_name };
  const { terminal } = context;
  if (formatOf(context) !== "table") return void (await printRecord(context, { ...charge, question, answer }));
  const shown = Object.fromEntries(Object.entries(charge).filter(([, value]) => value !== null));
  const age = showAge(created_at, context.clock.now());
  await printRecord(context, { ...shown, created_at: `${showTime(created_at, zone)} ${zone} (${age})` });
  if (message === undefined) return;
  const section = (title: string, text: string): string => `\n${terminal.paint("bold", title)}\n${cleanText(text)}\n`;
  await terminal.write(section("question", message.question) + section("answer", message.answer));
}

const summary = defineCommand("ledger summary", {
  arguments: { user: userParam() },
  options: { ...selectionFlags, ...recentFlags },
  async run({ user, ...flags }, context) {
    const { terminal } = context;
    const format = formatOf(context);
    const summarize = async (operations: AccountOperations): Promise<void> => {
      const { openLedgerReader } = await import("./daemon-ledger-reader.ts");
      const { user_id, balance_points: balance } = (await operations.run("getMe", {})).data;
      const zone = await operations.zone();
      const selection = selectionOf(flags, context.clock.now(), zone);
      const rows = newestFirst(openLedgerReader(operations, user_id), selection);
      const { by_type, by_day, ...totals } = await summarizeLedger(rows, (ms) => dayIn(ms, zone));
      if (format !== "table") {
        const found = { user_id, since: toIso(selection.since!), balance, ...totals };
        await printRecord(context, format === "json" || format === "jsonl" ? { ...found, by_type, by_day } : found);
        return;
      }
      const { earned, spent, free_uses, entries } = totals;
      await printRecord(context, { user_id, balance, earned, spent, net: earned - spent, free_uses, entries });
      if (entries === 0) {
        terminal.say("No entry matches.");
        return;
      }
      await terminal.write("\n");
      await printTable(context, { table: "types of entries", rows: by_type });
      await terminal.write(`\nDays in ${zone}\n`);
      await printTable(context, { table: "days", rows: by_day });
    };
    await withAccountOperations(context, user, summarize, { lookUp: true });
  },
});

const search = defineCommand("ledger search", {
  options: {
    ...selectionFlags,
    actor: optional(name(128)),
    reason: optional(anyText),
    least: optional(integer()),
    most: optional(integer()),
  },
  run: ({ actor, reason, least, most, ...flags }, context) =>
    withAccounts(context, async ({ service, zone }) => {
      const { searchLedgers } = await import("../../../admin/search-ledgers.ts");
      const wanted = { actor, reason, least, most, ...selectionOf(flags, context.clock.now(), zone) };
      const columns: Column<ReturnType<typeof toFoundRow>>[] = tableColumns(context, { table: "found entries", zone });
      const { skipUsers } = await import("../../../accounts/users.ts");
      const damage = new SkippedDamage();
      const advice = "What was found so far is printed; a shorter range takes less time.";
      await withProgress(context, advice, async (report) => {
        const found = searchLedgers(service, wanted, countTo(report, "users searched"), skipUsers(damage.add));
        await printAll(context, columns, foundRows(found));
      });
      damage.fail(EXIT.failure, SEARCHED);
    }),
});

const top = defineCommand("ledger top", {
  options: { by: optional(oneOf("spent", "earned", "free", "asked")), ...recentFlags, limit: optional(integer(1)) },
  async run({ by = "spent", limit = 20, ...flags }, context) {
    const damage = new SkippedDamage();
    await withAccounts(context, async ({ service, zone }) => {
      const { topUsers } = await import("../../../admin/search-ledgers.ts");
      const selection = selectionOf(flags, context.clock.now(), zone);
      const rows = await withProgress(context, "A shorter range takes less time.", (report) =>
        topUsers(service, { ...selection, by, limit }, countTo(report, "users read"), damage.add),
      );
      const { since = 0, until = context.clock.now() } = selection;
      const [from, to] = [since, until].map((ms) => showTimeIn(zone)(toIso(ms)));
      const none = `No user ${by === "free" ? "had free uses" : `${by} anything`} from ${from} to ${to}.`;
      await printTable(context, { table: "top users", rows, none });
    });
    damage.fail(EXIT.failure, "The storage is damaged. The totals lack these users; all others were counted.");
  },
});

const exportLedger = defineCommand("ledger export", {
  arguments: { user: optional(userId) },
  options: { entries: toggle() },
  run: ({ user, entries }, context) =>
    withAccounts(context, async ({ service }) => {
      const { format = "jsonl" } = context.globals;
      const damage = new SkippedDamage();
      const of = await (await import("../../../admin/find-users.ts")).userReader(service, user, damage.add);
      const isComplete = (): boolean => damage.count === 0;
      if (format === "jsonl" && !entries) {
        const { checksummed } = await import("../../../backup/checksummed-lines.ts");
        const { exportLedger } = await import("../../../backup/export-ledgers.ts");
        const values = of((id) => exportLedger(service.storage, id));
        const lines = checksummed("ledger", toIso(service.clock.now()), values, isComplete);
        if (!(await printLines(context, INCOMPLETE, lines, "lines"))) return;
      } else {
        const columns = tableColumns<Entry, "exported entries">(context, { table: "exported entries" });
        const printer = openRowPrinter(context, columns, { format });
        for await (const entry of of(service.ledger.entries)) if (!(await printer.print(entry))) return;
        await (isComplete() ? printer.end() : printer.flush()); // Nobody takes JSON without its end for complete.
      }
      damage.fail(EXIT.failure, "The storage is damaged. Of these users the rest is missing; all others are whole.");
    }),
});

export const command = defineGroup("ledger", { list, show, summary, search, top, verify, export: exportLedger }, list);
