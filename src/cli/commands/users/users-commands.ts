import { setTimeout } from "node:timers/promises";
import { collect } from "../../../runtime/batches.ts";
import { CommandFailure, defineCommand, defineGroup, EXIT } from "../../framework/command.ts";
import { confirmUnlessYes, operatorFlags } from "../../framework/confirm.ts";
import { withProgress, SkippedDamage } from "../../framework/with-progress.ts";
import { knownUser, optional, required, integer, oneOf, name, toggle } from "../../params/param.ts";
import { showReset, showTime, showTimeIn, zoneOf } from "../../framework/time-format.ts";
import { showFeatures } from "./subscription-commands.ts";
import type { AccountsSession } from "../../target/open-session.ts";
import { findUser, withAccounts } from "../../target/operations.ts";
import { formatOf, printRecord, printTable, type TableRows, type TableName } from "../../terminal/print.ts";

const list = defineCommand("users list", {
  async run(_values, context) {
    const damage = new SkippedDamage();
    const { rows, zone } = await withAccounts(context, async ({ service: { users }, zone }) => {
      return { rows: await collect(users.list(damage.add)), zone };
    });
    rows.sort((a, b) => (a.user_id < b.user_id ? -1 : 1));
    const data = rows.map((row) => ({ ...row, erased_at: row.erased?.at ?? null }));
    await printTable(context, { table: "users", data, rows, zone });
    damage.fail(EXIT.failure, "The storage is damaged. All other users were listed.");
  },
});

const show = defineCommand("users show", {
  arguments: { user: knownUser() },
  async run({ user }, context) {
    const { details, ...lists } = await withAccounts(context, async ({ service }) =>
      (await import("../../../admin/user-overview.ts")).userOverview(service, await findUser(context, service, user)),
    );
    const format = formatOf(context);
    if (format !== "table") {
      await printRecord(context, format === "json" || format === "jsonl" ? { ...details, ...lists } : details);
      return;
    }
    const { terminal, clock } = context;
    const features = showFeatures(lists.features);
    const { user_id, lang, created_at, erased_at, is_erased, plan, subscription, next_reset_at } = details;
    const zone = zoneOf(next_reset_at);
    await printRecord(context, {
      user:
        erased_at === null
          ? `${user_id}, reads ${lang}, since ${showTime(created_at, zone)} ${zone}`
          : `${user_id}, erased ${showTime(erased_at, zone)} ${zone}: ${is_erased === true ? "only the ledger is kept" : "not complete, run it again"}`,
      points: `${details.balance} (earned ${details.total_earned}, spent ${details.total_spent})`,
      free_uses: `${details.remaining_free_quota} of ${details.free_daily_quota} left, reset ${showReset(next_reset_at, clock.now())}`,
      plan: `${plan} (${subscription})${features === "" ? "" : `: ${features}`}`,
    });

    async function section<T extends object, N extends TableName>(title: string, given: TableRows<T, N>) {
      const { rows } = given;
      await terminal.write(`\n${terminal.paint("bold", title)}${rows.length === 0 ? ": none" : ""}\n`);
      if (rows.length > 0) await printTable(context, given);
    }
    await section("Tokens", { table: "tokens", rows: lists.tokens });
    await section("Last questions", {
      table: "questions of a user",
      rows: lists.last_questions,
      cells: { cost: { of: ({ points_cost, free_use }) => (free_use ? "free use" : String(points_cost || "none")) } },
    });
    await section("Last entries", { table: "ledger", rows: lists.last_entries, zone });
    await section("Feedback of the last 7 days", {
      table: "feedback of a user",
      rows: lists.feedback,
      cells: { route: { of: ({ route, sub_intent }) => [route, sub_intent].filter(Boolean).join("/") } },
    });
  },
});

const create = defineCommand("users create", {
  arguments: { user: required(name(128)) },
  options: { quota: optional(integer(0)), lang: optional(oneOf("zh", "en")) },
  async run({ user, quota, lang }, context) {
    const make = async ({ service }: AccountsSession) => {
      const { userDetails } = await import("../../../admin/user-overview.ts");
      if (await service.users.create(user, { free_daily_quota: quota, lang })) return userDetails(service, user);
      const { erased } = await service.userStates.profileOf(user);
      const taken = erased === undefined ? "already exists" : `was erased on ${erased.at}: the id stays taken`;
      throw new CommandFailure(EXIT.failure, `User ${user} ${taken}.`);
    };
    const details = await withAccounts(context, make, { create: true });
    await printRecord(context, details, {
      created_at: showTimeIn(zoneOf(details.next_reset_at)),
      next_reset_at: (iso) => showReset(iso, context.clock.now()),
    });
  },
});

const exportData = defineCommand("users export", {
  arguments: { user: knownUser() },
  async run({ user }, context) {
    const found = await withAccounts(context, async ({ service }) => {
      const { UnknownUserError } = await import("../../../contract/errors.ts");
      const who = await findUser(context, service, user).catch((error: unknown) => {
        if (error instanceof UnknownUserError) return user; // Perhaps known only from events.
        throw error;
      });
      return (await import("../../../admin/user-data.ts")).exportUser(service, who);
    });
    await context.terminal.write(`${JSON.stringify(found, null, 2)}\n`);
  },
});

const erase = defineCommand("users erase", {
  arguments: { user: knownUser() },
  options: { ...operatorFlags, yes: toggle() },
  async run({ user, reason, actor, yes }, context) {
    await withAccounts(context, async ({ service, zone }) => {
      const { eraseUser, profileOf } = await import("../../../admin/user-data.ts");
      await profileOf(service, user);
      await confirmUnlessYes(context, yes, `Erase all that is stored about ${user}, except the ledger?`);
      const settled = (): Promise<unknown> => setTimeout(service.config.auth.cache_ms);
      const done = await withProgress(context, "The erasure has begun: the same command finishes it.", (report) =>
        eraseUser(service, user, { reason, actor, settled }, ({ values, answers, events }) => {
          report(() => `${values} values, ${answers} answers and ${events} events erased`);
        }),
      );
      await printRecord(context, { user_id: user, ...done.record, ...done.erased }, { at: showTimeIn(zone) });
    });
  },
});

export const command = defineGroup("users", { list, show, create, export: exportData, erase });
