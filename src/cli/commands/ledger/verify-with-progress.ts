import type { Verification, VerifyOptions, VerifyProgress } from "../../../ledger/verify-ledgers.ts";
import { collect } from "../../../runtime/batches.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Context } from "../../framework/command-context.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";

/** Verifies ledgers, and shows on a terminal how far it is. */
export async function verifyWithProgress(
  { terminal }: Context,
  storage: Storage,
  options: Omit<VerifyOptions, "onProgress">,
  show: (progress: VerifyProgress) => string,
): Promise<Verification[]> {
  const { verifyLedgers } = await import("../../../ledger/verify-ledgers.ts");
  const onProgress = (progress: VerifyProgress): void => {
    terminal.progress(show(progress));
  };
  const found = await collect(verifyLedgers(storage, { ...options, onProgress }));
  terminal.progress("");
  return found;
}

/** The failure of an import with what to do, by the error's name; another error as it is. One of the storage keeps its
 * kind, and so its exit code. */
export function withAdvice(error: unknown, advice: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof Error) || !Object.hasOwn(advice, error.name)) return error;
  error.message += `\n${advice[error.name]}`;
  return error.name === "StorageError" ? error : new CommandFailure(EXIT.failure, error.message);
}

/** How many messages are kept of values that belong to no user, and per user. */
const MAX_MESSAGES = 100;

/** Verifies the values beside the ledgers: adds the first damage of each user to a verification without one.
 * @returns what is damaged and belongs to no verified user */
export async function addDamagedValues(
  { terminal }: Context,
  storage: Storage,
  found: Verification[],
  user: string | undefined,
): Promise<string[]> {
  const { findDamagedValues } = await import("../../../admin/find-damaged-values.ts");
  const { encodeSegment } = await import("../../../storage/keys.ts");
  const rows = new Map(found.map(({ user_id }, index) => [encodeSegment(user_id), index]));
  const others: string[] = [];
  let count = 0;
  for await (const { user: owner, message } of findDamagedValues(storage, user)) {
    terminal.progress(`${(count += 1)} damaged values`);
    const row = owner === undefined ? undefined : rows.get(owner);
    if (row === undefined && others.length < MAX_MESSAGES) others.push(message);
    if (row !== undefined) found[row] = { damage: { entry: null, message }, ...found[row]! };
  }
  terminal.progress("");
  return others;
}

/** How many of the ledgers are undamaged. */
export function countUndamaged(found: readonly Verification[]): number {
  return found.filter(({ damage }) => damage === undefined).length;
}

/** @throws CommandFailure that names the first wrong entry of each damaged ledger, below the headline */
export function failOnDamage(
  found: readonly Verification[],
  headline: readonly string[] = [],
  others: readonly string[] = [],
): void {
  const lines = found.flatMap(({ user_id, damage }) => {
    if (damage === undefined) return [];
    return [`${user_id}: ${damage.entry === null ? "" : `entry ${damage.entry}: `}${damage.message}`];
  });
  lines.push(...others);
  if (lines.length > 0) throw new CommandFailure(EXIT.failure, [...headline, ...lines].join("\n"));
}
