import type { Verification, VerifyOptions, VerifyProgress } from "../../../ledger/verify-ledgers.ts";
import type { Storage } from "../../../storage/storage.ts";
import { CommandFailure, EXIT } from "../../framework/command.ts";
import type { ReportPlace } from "../../framework/long-work.ts";

/** Verifies ledgers as a part of long work. @param found where the results are put as they come */
export async function verifyWithProgress(
  report: ReportPlace,
  storage: Storage,
  options: Omit<VerifyOptions, "onProgress">,
  show: (progress: VerifyProgress, spent_ms: number) => string,
  found: Verification[] = [],
): Promise<Verification[]> {
  const { verifyLedgers } = await import("../../../ledger/verify-ledgers.ts");
  let progress: VerifyProgress = { keys: 0, entries: 0 };
  const showNow = (spent_ms: number): string => show(progress, spent_ms);
  const onProgress = (now: VerifyProgress): void => {
    progress = now;
    report(showNow);
  };
  for await (const one of verifyLedgers(storage, { ...options, onProgress })) {
    report(showNow); // What an interrupt ended would count as damaged.
    found.push(one);
  }
  return found;
}

/** The failure of an import with advice by the error's name, others as they are; a storage error keeps its code. */
export function withAdvice(error: unknown, advice: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof Error) || !Object.hasOwn(advice, error.name)) return error;
  error.message += `\n${advice[error.name]}`;
  return error.name === "StorageError" ? error : new CommandFailure(EXIT.failure, error.message);
}

const MAX_MESSAGES = 100; // How many messages are kept of values that belong to no user, and per user.

/** Verifies the values beside the ledgers in the same pass.
 * @returns `hooks` for the verification; and `add`, which puts the first damage of each user into a verification without
 * one, and returns what is damaged and belongs to no verified user */
export async function openValueChecks(storage: Storage) {
  const { checkValues } = await import("../../../admin/find-damaged-values.ts");
  const { encodeSegment } = await import("../../../storage/keys.ts");
  const damaged = new Map<string | undefined, string[]>(); // By user, that of a cut-off erasure first.
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

/** @throws CommandFailure that names the first wrong entry of each damaged ledger, below the headline */
export function failOnDamage(found: readonly Verification[], headline: string[] = [], others: string[] = []): void {
  const lines = [...damagesOf(found), ...others];
  if (lines.length > 0) throw new CommandFailure(EXIT.failure, [...headline, ...lines].join("\n"));
}

/** The first damage of each ledger. */
export const damagesOf = (found: readonly Verification[]): string[] =>
  found.flatMap(({ user_id, damage }) =>
    damage ? `${user_id}: ${damage.entry === null ? "" : `entry ${damage.entry}: `}${damage.message}` : [],
  );
