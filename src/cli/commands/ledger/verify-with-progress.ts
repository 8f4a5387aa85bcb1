import type { Verification, VerifyOptions, VerifyProgress } from "../../../ledger/verify-ledgers.ts";
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
  const found: Verification[] = [];
  for await (const one of verifyLedgers(storage, { ...options, onProgress })) found.push(one);
  terminal.progress("");
  return found;
}

/** How many of the ledgers are undamaged. */
export function countUndamaged(found: readonly Verification[]): number {
  return found.filter(({ damage }) => damage === undefined).length;
}

/** @throws CommandFailure that names the first wrong entry of each damaged ledger, below the headline */
export function failOnDamage(found: readonly Verification[], ...headline: readonly string[]): void {
  const lines = found.flatMap(({ user_id, damage }) => {
    if (damage === undefined) return [];
    return [`${user_id}: ${damage.entry === null ? "" : `entry ${damage.entry}: `}${damage.message}`];
  });
  if (lines.length > 0) throw new CommandFailure(EXIT.failure, [...headline, ...lines].join("\n"));
}
