import type { Logger } from "../runtime/logger.ts";
import type { Finding } from "../storage/finding.ts";
import type { Storage } from "../storage/storage.ts";

/** The storage may lose acknowledged data, and the operator requires one that does not. */
export class DurabilityError extends Error {
  override readonly name = "DurabilityError";
}

/**
 * Examines the storage before the daemon serves from it, and logs what an operator should know: what may be lost, and
 * the setting that fixes it. A storage that cannot be written must be reported now, not at the first charge.
 *
 * @param now the clock's time, ms since 1970
 * @param probe reads and writes
 * @returns all findings
 * @throws DurabilityError when `required` and acknowledged data may be lost
 * @throws StorageError when the storage cannot be read and written
 */
export async function checkStorageRisks(
  storage: Storage,
  {
    logger,
    now,
    required,
    probe,
  }: {
    readonly logger: Logger;
    readonly now: number;
    readonly required: boolean;
    readonly probe: () => Promise<void>;
  },
): Promise<Finding[]> {
  const findings = await storage.examine(now);
  const risks = findings.filter(({ level, loses }) => loses !== undefined || level === "error");
  if (required && risks.length > 0) {
    const lines = risks.map((risk) => `  ${describe(risk)}`);
    throw new DurabilityError(`${storage.url} may lose acknowledged data:\n${lines.join("\n")}`);
  }
  await probe();
  for (const finding of findings) {
    if (finding.level !== "ok") logFinding(logger, finding);
  }
  return findings;
}

/** Logs a finding about the storage. */
export function logFinding(logger: Logger, { level, ...finding }: Finding): void {
  logger[level === "error" ? "error" : "warn"](finding, `storage: ${finding.message}`);
}

function describe({ subject, message, loses, remedy }: Finding): string {
  const loss = loses === undefined ? "" : ` May lose ${loses}.`;
  return `${subject}: ${message}${loss}${remedy === undefined ? "" : ` Remedy: ${remedy}`}`;
}
