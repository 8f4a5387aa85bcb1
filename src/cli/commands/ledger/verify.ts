import { resolve } from "node:path";
import type { Receipt, Verification, VerifyOptions, VerifyProgress } from "../../../ledger/verify-ledgers.ts";
import type { Storage } from "../../../storage/storage.ts";
import { CommandFailure, defineCommand, EXIT, UsageError } from "../../framework/command.ts";
import { withProgress, type ReportProgress } from "../../framework/with-progress.ts";
import { optional, toggle, text, userId } from "../../params/param.ts";
import { printTable } from "../../terminal/print.ts";
import { showCount } from "../../framework/time-format.ts";
import { withAccounts } from "../../target/operations.ts";

type VerificationRow = Omit<Verification, "damage"> & { readonly fault?: Verification["damage"] };

export const verify = defineCommand("ledger verify", {
  arguments: { user: optional(userId) },
  options: { all: toggle(), against: optional(text(4096), "file") },
  async run({ user, all, against }, context) {
    if (user !== undefined && all) throw new UsageError("USER and --all exclude each other.");
    const receipts = against === undefined ? undefined : await readReceipts(against, context.cwd);
    const found: Verification[] = [];
    const advice = (): string => ["It starts from the beginning when run again.", ...damagesOf(found)].join("\n");
    const others = await withAccounts(context, ({ service: { storage } }) =>
      withProgress(context, advice, (report) => {
        const options = { users: user === undefined ? undefined : [user], receipts };
        return verifyWithProgress(report, storage, options, showPlace, found);
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

/** Verifies ledgers and the other values as part of long work.
 * @param found receives the results as they come @returns the damage that belongs to none of them */
export async function verifyWithProgress(
  report: ReportProgress,
  storage: Storage,
  options: Pick<VerifyOptions, "users" | "receipts">,
  show: (progress: VerifyProgress, spent_ms: number) => string,
  found: Verification[],
): Promise<string[]> {
  const { verifyLedgers } = await import("../../../ledger/verify-ledgers.ts");
  const { sessionTrace: trace } = await import("../../../assistant/sessions/messages.ts");
  const { hooks, add } = await openValueChecks(storage);
  let last: VerifyProgress = { keys: 0, entries: 0 };
  const onProgress = (progress = last): void => {
    last = progress;
    report((spent_ms) => show(progress, spent_ms));
  };
  for await (const one of verifyLedgers(storage, { ...options, hooks, trace, onProgress })) {
    onProgress(); // Throws after an interrupt, whose failed reads would count as damage.
    found.push(one);
  }
  return add(found);
}

const MAX_MESSAGES = 100; // Most messages kept about values without a user, and per user.

/** Verifies the values outside the ledgers in the same scan.
 * @returns `hooks` for the verification; `add`, which sets the first damage of users without any and returns the rest */
async function openValueChecks(storage: Storage) {
  const { checkValues } = await import("../../../admin/find-damaged-values.ts");
  const { encodeSegment } = await import("../../../storage/keys.ts");
  const damaged = new Map<string | undefined, string[]>(); // By user; an interrupted erasure comes first.
  const hooks = checkValues(storage, ({ user, message, isErasure }) => {
    const messages = damaged.get(user) ?? [];
    damaged.set(user, messages);
    if (isErasure === true) messages.unshift(message);
    else if (messages.length < MAX_MESSAGES) messages.push(message);
  });
  function add(found: Verification[]): string[] {
    for (const [row, { user_id, damage }] of found.entries()) {
      const [message] = damaged.get(encodeSegment(user_id)) ?? [];
      damaged.delete(encodeSegment(user_id));
      if (damage === undefined && message !== undefined)
        found[row] = { ...found[row]!, damage: { entry: null, message } };
    }
    return [...damaged.values()].flat().slice(0, MAX_MESSAGES);
  }
  return { hooks, add };
}

/** @throws CommandFailure that names the first damaged entry of each ledger, below the headline */
export function failOnDamage(found: readonly Verification[], headline: string[] = [], others: string[] = []): void {
  const lines = [...damagesOf(found), ...others];
  if (lines.length > 0) throw new CommandFailure(EXIT.failure, [...headline, ...lines].join("\n"));
}

/** The first damage of each ledger. */
const damagesOf = (found: readonly Verification[]): string[] =>
  found.flatMap(({ user_id, damage }) =>
    damage ? `${user_id}: ${damage.entry === null ? "" : `entry ${damage.entry}: `}${damage.message}` : [],
  );
