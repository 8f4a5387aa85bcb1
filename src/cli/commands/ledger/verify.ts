import { resolve } from "node:path";
import type { Receipt, Verification, VerifyProgress } from "../../../ledger/verify-ledgers.ts";
import { defineCommand, UsageError } from "../../framework/command.ts";
import { longWork } from "../../framework/long-work.ts";
import { optional, toggle, text, userId } from "../../params/param.ts";
import { printTable } from "../../terminal/print.ts";
import { showCount } from "../../framework/time-format.ts";
import { withAccounts } from "../../target/operations.ts";
import { damagesOf, failOnDamage, openValueChecks, verifyWithProgress } from "./verify-with-progress.ts";

type VerificationRow = Omit<Verification, "damage"> & { readonly fault?: Verification["damage"] };

export const verify = defineCommand("ledger verify", {
  arguments: { user: optional(userId) },
  options: { all: toggle(), against: optional(text(4096), "file") },
  async run({ user, all, against }, context) {
    if (user !== undefined && all) throw new UsageError("USER and --all exclude each other.");
    const { sessionTrace } = await import("../../../assistant/sessions/sessions.ts");
    const receipts = against === undefined ? undefined : await readReceipts(against, context.cwd);
    const found: Verification[] = [];
    const howToGoOn = (): string => ["It starts from the beginning when run again.", ...damagesOf(found)].join("\n");
    const others = await withAccounts(context, ({ service: { storage } }) =>
      longWork(context, howToGoOn, async (report) => {
        const { hooks, add } = await openValueChecks(storage);
        const options = { users: user === undefined ? undefined : [user], receipts, trace: sessionTrace, hooks };
        await verifyWithProgress(report, storage, options, showPlace, found);
        return add(found);
      }),
    );
    if (user !== undefined && found.length === 0) {
      const { AnpError } = await import("../../../contract/errors.ts");
      throw new AnpError(404, `User ${user} is not known.`);
    }
    const rows = found.map(({ damage, ...row }): VerificationRow => ({ ...row, ...(damage && { fault: damage }) }));
    await printTable(context, {
      table: "verification",
      data: rows.map((row) => ({ ...row, state: stateOf(row) })),
      rows,
      cells: { state: { of: stateOf, show: (row, { paint }) => paint(row.fault ? "red" : "green", stateOf(row)) } },
    });
    failOnDamage(found, [], others);
  },
});

const showPlace = ({ keys, users, entries }: VerifyProgress, spent_ms: number): string =>
  users === undefined
    ? `${keys} keys listed`
    : `${showCount("users verified", users.done, users.all, spent_ms)}, ${entries} entries`;

const stateOf = ({ fault }: VerificationRow) => (fault === undefined ? "ok" : "fault");

async function readReceipts(file: string, cwd: string): Promise<ReadonlyMap<string, Receipt>> {
  const [{ readFile }, { z }] = await Promise.all([import("node:fs/promises"), import("zod")]);
  const receipt = z.object({ user_id: z.string(), entries: z.int().min(0), head: z.string().nullable() });
  try {
    const receipts = z.array(receipt).parse(JSON.parse(await readFile(resolve(cwd, file), "utf8")));
    return new Map(receipts.map(({ user_id, entries, head }) => [user_id, { entries, head }]));
  } catch (error) {
    const reason =
      error instanceof Error && "code" in error ? error.message : "it is not a verification as --json prints it";
    throw new UsageError(`--against ${file} cannot be read: ${reason}.`);
  }
}
