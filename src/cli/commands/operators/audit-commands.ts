import type { AuditRow } from "../../../admin/audit-log.ts";
import { CommandFailure, defineCommand, defineGroup, EXIT } from "../../framework/command.ts";
import { integer, optional, profileName, userId } from "../../params/param.ts";
import { withAccounts } from "../../target/operations.ts";
import { openRowPrinter, printRecord, tableColumns } from "../../terminal/print.ts";
import { rangeFlags, selectionOf } from "../ledger/selection-flags.ts";

const about = optional(userId, "user");

const list = defineCommand("audit list", {
  options: { operator: optional(profileName), user: about, ...rangeFlags, limit: optional(integer(1)) },
  run: ({ operator, user, limit = 50, ...range }, context) =>
    withAccounts(context, async ({ service, zone }) => {
      const { createAuditLog } = await import("../../../admin/audit-log.ts");
      const cells = { arguments: { of: (row: AuditRow) => JSON.stringify(row.arguments) } };
      const printer = openRowPrinter<AuditRow>(context, tableColumns(context, { table: "audit", zone, cells }));
      const { since, until } = selectionOf(range, context.clock.now(), zone);
      let count = 0;
      for await (const row of createAuditLog(service).newestFirst(since, until)) {
        if ((operator ?? row.operator) !== row.operator || (user ?? row.user) !== row.user) continue;
        if (++count > limit) break;
        if (!(await printer.print(row))) return;
      }
      await printer.end();
      if (count > limit) context.terminal.say(`Only the newest ${limit} calls are shown; --limit shows more.`);
      if (count === 0) context.terminal.say("No call matches.");
    }),
});

const verify = defineCommand("audit verify", {
  async run(_values, context) {
    const found = await withAccounts(context, async ({ service }) => {
      return (await import("../../../admin/audit-log.ts")).createAuditLog(service).verify();
    });
    await printRecord(context, found);
    if (found.fault !== null) throw new CommandFailure(EXIT.failure, `The audit log is damaged: ${found.fault}.`);
  },
});

export const command = defineGroup("audit", { list, verify });
