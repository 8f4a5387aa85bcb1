import type { Receipt, Verification, VerifyProgress } from "../../../ledger/verify-ledgers.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { UsageError } from "../../framework/exit.ts";
import { optional, toggle } from "../../framework/param.ts";
import type { Column } from "../../terminal/column.ts";
import { printRows } from "../../terminal/print.ts";
import { withAccounts } from "../../target/session.ts";
import { text, userId } from "../../framework/value-readers.ts";
import { failOnDamage, verifyWithProgress } from "./verify-with-progress.ts";

/** A verification with the documented name of its damage. */
type VerificationRow = Omit<Verification, "damage"> & { readonly fault?: Verification["damage"] };

const COLUMNS: readonly Column<VerificationRow>[] = [
  { name: "user_id", of: ({ user_id }) => user_id },
  { name: "entries", of: ({ entries }) => entries },
  { name: "balance", of: ({ balance }) => balance },
  {
    name: "state",
    of: stateOf,
    show: (row, terminal) => terminal.paint(row.fault === undefined ? "green" : "red", stateOf(row)),
  },
  { name: "fault_entry", of: ({ fault }) => fault?.entry },
  { name: "fault", of: ({ fault }) => fault?.message, wide: true },
];

export const verify = defineCommand({
  name: "verify",
  summary: "Check every entry of a user's ledger, or of all",
  description:
    "Check every entry of a user's ledger, or of all ledgers: the hash chain, the sums, the numbering, the index of " +
    "operations, the head's hint, and that every delivered answer was charged. Exit code 1 when anything is wrong; the " +
    "first wrong entry of each user is named. Nothing is changed. Entries removed from the end together with all their " +
    "traces are found only by comparison with an earlier verification: save one with --json and pass it to --against.",
  arguments: { user: optional("USER", "id of the user; all users when left out", userId) },
  options: {
    all: toggle("all users"),
    against: optional("file", "an earlier verification as --json printed it: no ledger may be shorter", text(4096)),
  },
  examples: [
    "ledger verify alice",
    "ledger verify --all --json > monday.json",
    "ledger verify --all --against monday.json",
  ],
  async run({ user, all, against }, context) {
    if (user !== undefined && all) throw new UsageError("USER and --all exclude each other.");
    const { sessionTrace } = await import("../../../assistant/sessions/messages.ts");
    const receipts = against === undefined ? undefined : await readReceipts(against);
    const found = await withAccounts(context, ({ service }) => {
      const users = user === undefined ? undefined : [user];
      return verifyWithProgress(context, service.storage, { users, receipts, trace: sessionTrace }, showProgress);
    });
    if (user !== undefined && found.length === 0) {
      const { AnpError } = await import("../../../contract/errors.ts");
      throw new AnpError(404, `User ${user} is not known.`);
    }
    const rows = found.map(({ damage, ...row }): VerificationRow => ({ ...row, ...(damage && { fault: damage }) }));
    const data = rows.map((row) => ({ ...row, state: stateOf(row) }));
    await printRows(context, { data, rows, columns: COLUMNS });
    if (rows.length === 0) context.terminal.say("There are no users.");
    failOnDamage(found);
  },
});

function stateOf({ fault }: VerificationRow): "ok" | "fault" {
  return fault === undefined ? "ok" : "fault";
}

function showProgress({ keys, users, entries }: VerifyProgress): string {
  if (users === undefined) return `${keys} keys listed`;
  return `verifying user ${users.done + 1} of ${users.all}, ${entries} entries`;
}

async function readReceipts(file: string): Promise<ReadonlyMap<string, Receipt>> {
  const [{ readFile }, { z }] = await Promise.all([import("node:fs/promises"), import("zod")]);
  const receipt = z.object({ user_id: z.string(), entries: z.int().min(0), head: z.string().nullable() });
  try {
    const receipts = z.array(receipt).parse(JSON.parse(await readFile(file, "utf8")));
    return new Map(receipts.map(({ user_id, entries, head }) => [user_id, { entries, head }]));
  } catch (error) {
    const reason =
      error instanceof Error && "code" in error ? error.message : "it is not a verification as --json prints it";
    throw new UsageError(`--against ${file} cannot be read: ${reason}.`);
  }
}
