import type { Logger } from "../runtime/logger.ts";
import type { Finding } from "../storage/health/finding.ts";
import { lastUseFinding } from "../storage/health/last-use.ts";
import { isOutage, StorageError, type Storage } from "../storage/storage.ts";

const COMPARE_EVERY_MS = 1000; // How often the storage's generation is compared, ms.
const EXAMINE_EVERY_MS = 60_000; // Even if the generation is the same: settings can change while a server runs.

/** The storage may lose acknowledged data, and the operator requires one that does not. */
export class DurabilityError extends Error {
  override readonly name = "DurabilityError";
}

type RiskOptions = { readonly logger: Logger; readonly now: () => number }; // The machine's clock, ms since 1970.
type StartOptions = RiskOptions & { readonly required: boolean; readonly probe: () => Promise<void> };
type WatchOptions = RiskOptions & { readonly onRisks?: ((count: number) => void) | undefined };

/** Examines the storage before the daemon serves from it, and logs what an operator should know: what may be lost, and
 * the setting that fixes it. A storage that cannot be written (`probe`) must be reported now, not at the first charge.
 * @throws DurabilityError when `required` and acknowledged data may be lost
 * @throws StorageError when the storage cannot be used: it cannot be read and written, or the clock is wrong */
export async function checkStorageRisks(storage: Storage, { logger, required, probe, ...options }: StartOptions) {
  const now = options.now();
  const findings = [...(await storage.examine(now)), await lastUseFinding(storage, now)];
  const unusable = findings.find((finding) => finding.unusable === true);
  if (unusable !== undefined)
    throw new StorageError(`${storage.url} cannot be used: ${unusable.message} ${unusable.remedy ?? ""}`);
  const risks = findings.filter(({ level, loses }) => loses !== undefined || level === "error");
  if (required && risks.length > 0) {
    const lines = risks.map(({ subject, message, loses, remedy }) => {
      const loss = loses === undefined ? "" : ` May lose ${loses}.`;
      return `  ${subject}: ${message}${loss}${remedy === undefined ? "" : ` Remedy: ${remedy}`}`;
    });
    throw new DurabilityError(`${storage.url} may lose acknowledged data:\n${lines.join("\n")}`);
  }
  await probe();
  for (const finding of findings) if (finding.level !== "ok") logFinding(logger, finding);
  return findings;
}

/** Examines the storage again in the background, until ended: when its server was lost or replaced, and once a minute.
 * @param findings what was found and logged at the start */
export function watchStorageRisks(storage: Storage, findings: readonly Finding[], options: WatchOptions): () => void {
  const { logger, now, onRisks } = options;
  let generation = storage.generation();
  let examinedAt = performance.now();
  let risks = risksOf(findings);
  let running: Promise<void> | undefined;
  onRisks?.(risks.size);

  async function examine(): Promise<void> {
    const before = storage.generation();
    const found = risksOf(await storage.examine(now()));
    generation = before;
    examinedAt = performance.now();
    for (const [subject, finding] of found) {
      const { level, loses } = risks.get(subject) ?? {};
      if (level !== finding.level || loses !== finding.loses) logFinding(logger, finding);
    }
    for (const [subject, { message }] of risks)
      if (!found.has(subject)) logger.info({ subject }, `storage: resolved: ${message}`);
    risks = found;
    onRisks?.(risks.size);
  }

  const timer = setInterval(() => {
    if (storage.generation() === generation && performance.now() - examinedAt < EXAMINE_EVERY_MS) return;
    running ??= examine()
      .catch((error: unknown) => {
        // A lost storage is reported by the storage watch, and examined when it is back.
        if (!isOutage(error)) logger.error({ err: error }, "the storage could not be examined");
      })
      .finally(() => (running = undefined));
  }, COMPARE_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** Findings that are not ok, by their subject: the message may hold numbers and names that vary. */
const risksOf = (findings: readonly Finding[]): ReadonlyMap<string, Finding> =>
  new Map(findings.filter(({ level }) => level !== "ok").map((finding) => [finding.subject, finding]));

const logFinding = (logger: Logger, { level, ...finding }: Finding): void =>
  logger[level === "error" ? "error" : "warn"](finding, `storage: ${finding.message}`);
