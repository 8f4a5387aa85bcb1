import type { Receipt, Verification, VerifyProgress } from "../../../ledger/verify-ledgers.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT, UsageError } from "../../framework/exit.ts";
import { optional, toggle } from "../../framework/param.ts";
import type { Column } from "../../terminal/column.ts";
import { printRows } from "../../terminal/print.ts";
import { withAccounts } from "../../target/session.ts";
import { text, userId } from "../../framework/value-readers.ts";

const COLUMNS: readonly Column<Verification>[] = [
  { name: "user_id", of: ({ user_id }) => user_id },
  { name: "entries", of: ({ entries }) => entries },
  { name: "balance", of: ({ balance }) => balance },
  {
    name: "state",
    of: ({ damage }) => (damage === undefined ? "ok" : "fault"),
    show: ({ damage }, terminal) =>
      damage === undefined ? terminal.paint("green", "ok") : terminal.paint("red", "fault"),
  },
  { name: "fault_entry", of: ({ damage }) => damage?.entry },
  { name: "fault", of: ({ damage }) => damage?.message, wide: true },
];

export const verify = defineCommand({
  name: "verify",
  summary: "Check every entry of a user's ledger, or of all",
  description:
    "Check every entry of a user's ledger, or of all: the hash chain, the sums, the numbering, the index of operations, " +
    "the hint of the head, and that every answer which was delivered was charged. Exit code 1 when anything is wrong; " +
    "the first wrong entry of each user is named. Nothing is changed. Entries that were removed from the end together " +
    "with all that tells of them show only against an earlier verification: keep one with --json, and give it to " +
    "--against.",
  arguments: { user: optional("USER", "id of the user; all users when left out", userId) },
  options: {
    all: toggle("all users"),
    against: optional("file", "an earlier verification, as --json printed it: no ledger may be shorter", text(4096)),
  },
  examples: [
    "ledger verify alice",
    "ledger verify --all --json > monday.json",
    "ledger verify --all --against monday.json",
  ],
  async run({ user, all, against }, context) {
    if (user !== undefined && all) throw new UsageError("USER and --all exclude each other.");
    const { terminal } = context;
    const { verifyLedgers } = await import("../../../ledger/verify-ledgers.ts");
    const { sessionTrace } = await import("../../../assistant/sessions/messages.ts");
    const receipts = against === undefined ? undefined : await receiptsIn(against);
    const rows: Verification[] = [];
    await withAccounts(context, async ({ service }) => {
      const onProgress = (progress: VerifyProgress): void => {
        terminal.progress(wordsOf(progress));
      };
      const users = user === undefined ? undefined : [user];
      const options = { users, receipts, trace: sessionTrace, onProgress };
      for await (const found of verifyLedgers(service.storage, options)) rows.push(found);
    });
    terminal.progress("");
    if (user !== undefined && rows.length === 0) {
      const { AnpError } = await import("../../../contract/errors.ts");
      throw new AnpError(404, `User ${user} is not known.`);
    }
    const data = rows.map(({ damage, ...row }) =>
      damage === undefined ? { ...row, state: "ok" } : { ...row, fault: damage, state: "fault" },
    );
    await printRows(context, { data, rows, columns: COLUMNS });
    if (rows.length === 0) terminal.say("There are no users.");
    const faults = rows.flatMap(({ user_id, damage }) => (damage === undefined ? [] : [{ user_id, ...damage }]));
    if (faults.length > 0) {
      const lines = faults.map(
        ({ user_id, entry, message }) => `${user_id}: ${entry === null ? "" : `entry ${entry}: `}${message}`,
      );
      throw new CommandFailure(EXIT.failure, lines.join("\n"));
    }
  },
});

function wordsOf({ keys, users, entries }: VerifyProgress): string {
  if (users === undefined) return `${keys} keys listed`;
  return `verifying user ${users.done + 1} of ${users.all}, ${entries} entries`;
}

async function receiptsIn(file: string): Promise<ReadonlyMap<string, Receipt>> {
  const [{ readFile }, { z }] = await Promise.all([import("node:fs/promises"), import("zod")]);
  const receipt = z.object({ user_id: z.string(), entries: z.int().min(0), head: z.string().nullable() });
  try {
    const receipts = z.array(receipt).parse(JSON.parse(await readFile(file, "utf8")));
    return new Map(receipts.map(({ user_id, entries, head }) => [user_id, { entries, head }]));
  } catch (error) {
    const reason =
      error instanceof Error && "code" in error ? error.message : "it is no verification as --json prints it";
    throw new UsageError(`--against ${file} cannot be read: ${reason}.`);
  }
}
