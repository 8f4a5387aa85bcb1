import { defineCommand } from "../../framework/define-command.ts";
import { EXIT, UsageError, type ExitCode } from "../../framework/exit.ts";
import { withAccountOperations, type AccountOperations } from "../../target/operations.ts";
import { optional, toggle, userParam } from "../../framework/param.ts";
import { integer } from "../../framework/value-readers.ts";
import { USER_OR_TOKEN } from "../../target/find-user.ts";
import { selectionFlags, selectionOf } from "./selection-flags.ts";

const PAGE_SIZE = 20;

export const list = defineCommand({
  name: "list",
  summary: "List a user's ledger, newest first",
  description:
    "List a user's ledger, newest first: a page of it, or with --all, --type, --since, --until or --ref all matching " +
    "entries, in constant memory. `anp ledger USER` is short for it. A terminal shows local times; other formats have " +
    "ISO 8601 in UTC.",
  arguments: { user: userParam("USER", USER_OR_TOKEN) },
  options: {
    ...selectionFlags,
    all: toggle("all entries, not only a page"),
    follow: toggle("keep printing new entries as they are written; oldest first"),
    page: optional("n", "page number, from 1", integer()),
    pageSize: optional("n", `entries per page, 1 to 100; ${PAGE_SIZE} when left out`, integer()),
  },
  target: "either",
  examples: [
    "ledger alice",
    "ledger alice --since 3d --type chat_cost",
    "ledger alice --follow",
    "ledger list alice --all --format csv > alice.csv",
  ],
  async run({ user, all, follow: following, page, pageSize, ...flags }, context) {
    const now = context.clock.now();
    const selection = selectionOf(flags, now);
    const { checkInput } = await import("../../../contract/check-input.ts");
    const { selectsAll } = await import("../../../admin/select-entries.ts");
    const unpaged = all || !selectsAll(selection);
    if (unpaged && (page !== undefined || pageSize !== undefined)) {
      throw new UsageError("--page and --page-size cannot be used with --all, --type, --since, --until or --ref.");
    }
    if (following && (all || page !== undefined)) throw new UsageError("--follow cannot be used with --all or --page.");
    if (following && context.globals.format === "json") {
      throw new UsageError("--follow never ends, so it cannot print one JSON document: use --format jsonl.");
    }
    checkInput("getLedger", { query: { page, page_size: pageSize } });
    const show = async (operations: AccountOperations): Promise<ExitCode> => {
      const [{ openLedgerReader }, { printAll, printPage }] = await Promise.all([
        import("./open-ledger-reader.ts"),
        import("./print-entries.ts"),
      ]);
      const who = await operations.currentUser();
      const reader = openLedgerReader(operations, who);
      if (following) {
        const { follow } = await import("./follow.ts");
        return follow(context, reader, selection, pageSize ?? PAGE_SIZE);
      }
      if (unpaged) await printAll(context, reader, selection, now);
      else await printPage(context, reader, { who, page: page ?? 1, size: pageSize ?? PAGE_SIZE, now });
      return EXIT.ok;
    };
    return withAccountOperations(context, user, show, { lookUp: true });
  },
});
