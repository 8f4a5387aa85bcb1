import { randomUUID } from "node:crypto";
import type { Logger } from "../runtime/logger.ts";
import { isOutage } from "../storage/storage-errors.ts";
import type { Finding } from "../storage/finding.ts";
import type { Key, Storage } from "../storage/storage.ts";
import { logFinding } from "./storage-risks.ts";

const LOOK_EVERY_MS = 1000;
/** Settings can be changed while a server runs. */
const EXAMINE_EVERY_MS = 60_000;
/** Made once in a storage: where it is another one or missing, the data is other data. */
const IDENTITY: Key = ["ready", "identity"];

/**
 * Looks, in the background, at all that an operator should know when the storage's server was lost or replaced, and once
 * a minute besides.
 *
 * @param findings what was found and told at the start
 * @param now the clock's time, ms since 1970
 * @returns what ends it
 * @throws StorageError when the storage does not answer
 */
export async function watchStorageChanges(
  storage: Storage,
  findings: readonly Finding[],
  { logger, now, onRisks }: { logger: Logger; now: () => number; onRisks?: (count: number) => void },
): Promise<() => void> {
  let generation = storage.generation();
  let identity = await identify();
  let examinedAt = performance.now();
  let known = risksOf(findings);
  onRisks?.(known.size);

  async function identify(): Promise<string | undefined> {
    await storage.create(IDENTITY, JSON.stringify({ id: randomUUID() }));
    return storage.get(IDENTITY);
  }

  async function look(): Promise<void> {
    const current = storage.generation();
    if (current === generation && performance.now() - examinedAt < EXAMINE_EVERY_MS) return;
    const there = await storage.get(IDENTITY);
    const found = await storage.examine(now());
    generation = current;
    examinedAt = performance.now();
    if (there !== identity) {
      logger.error(
        { storage: storage.url },
        "the storage is not the one that was served from: what was acknowledged before is not there",
      );
      identity = there ?? (await identify());
    }
    const risks = risksOf(found);
    for (const [text, finding] of risks) {
      if (!known.has(text)) logFinding(logger, finding);
    }
    for (const [text, { subject, message }] of known) {
      if (!risks.has(text)) logger.info({ subject }, `storage: no longer so: ${message}`);
    }
    known = risks;
    onRisks?.(known.size);
  }

  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => {
        // A lost storage is told by who watches it, and looked at again when it is back.
        if (!isOutage(error)) logger.error({ err: error }, "the storage could not be looked at");
      })
      .finally(() => (looking = undefined));
  }, LOOK_EVERY_MS).unref();

  return () => {
    clearInterval(timer);
  };
}

/** What is not as it should be, by its words without figures that change. */
function risksOf(findings: readonly Finding[]): Map<string, Finding> {
  const risks = findings.filter(({ level }) => level !== "ok");
  return new Map(risks.map((finding) => [`${finding.subject}: ${finding.message.replaceAll(/\d+/g, "n")}`, finding]));
}
