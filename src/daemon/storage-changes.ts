import { randomUUID } from "node:crypto";
import type { Logger } from "../runtime/logger.ts";
import type { Finding } from "../storage/finding.ts";
import { isOutage } from "../storage/storage-errors.ts";
import type { Key, Storage } from "../storage/storage.ts";
import { logFinding } from "./storage-risks.ts";

/** How often the storage's generation is compared, ms. */
const COMPARE_EVERY_MS = 1000;
/** How often it is examined even if its generation is the same, ms: settings can change while a server runs. */
const EXAMINE_EVERY_MS = 60_000;
/** Created once per storage: if it differs or is missing, the data was replaced. */
const IDENTITY: Key = ["ready", "identity"];

/** Examines the storage again in the background: when its server was lost or replaced, and once a minute. */
export class StorageChanges {
  readonly #storage: Storage;
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #onRisks: ((count: number) => void) | undefined;
  #generation: number;
  #examinedAt = performance.now();
  #identity: string | undefined;
  #risks: ReadonlyMap<string, Finding>;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(storage: Storage, findings: readonly Finding[], options: WatchOptions) {
    this.#storage = storage;
    this.#logger = options.logger;
    this.#now = options.now;
    this.#onRisks = options.onRisks;
    this.#generation = storage.generation();
    this.#risks = risksOf(findings);
  }

  /**
   * @param findings what was found and logged at the start
   * @throws StorageError when the storage does not answer
   */
  static async watch(storage: Storage, findings: readonly Finding[], options: WatchOptions): Promise<StorageChanges> {
    const changes = new StorageChanges(storage, findings, options);
    changes.#identity = await changes.#identify();
    changes.#onRisks?.(changes.#risks.size);
    changes.#timer = setInterval(() => {
      changes.#compare();
    }, COMPARE_EVERY_MS).unref();
    return changes;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** One examination at a time. */
  #compare(): void {
    const isSame = this.#storage.generation() === this.#generation;
    if (isSame && performance.now() - this.#examinedAt < EXAMINE_EVERY_MS) return;
    this.#running ??= this.#examine()
      .catch((error: unknown) => {
        // A lost storage is reported by the storage watch, and examined when it is back.
        if (!isOutage(error)) this.#logger.error({ err: error }, "the storage could not be examined");
      })
      .finally(() => (this.#running = undefined));
  }

  async #examine(): Promise<void> {
    const generation = this.#storage.generation();
    const identity = await this.#storage.get(IDENTITY);
    const findings = await this.#storage.examine(this.#now());
    this.#generation = generation;
    this.#examinedAt = performance.now();
    if (identity !== this.#identity) {
      this.#logger.error(
        { storage: this.#storage.url },
        "the storage was replaced: what was acknowledged before is missing",
      );
      this.#identity = identity ?? (await this.#identify());
    }
    this.#reportRisks(risksOf(findings));
  }

  async #identify(): Promise<string | undefined> {
    await this.#storage.create(IDENTITY, JSON.stringify({ id: randomUUID() }));
    return this.#storage.get(IDENTITY);
  }

  /** Logs the risks that are new and those that are gone. */
  #reportRisks(risks: ReadonlyMap<string, Finding>): void {
    for (const [text, finding] of risks) {
      if (!this.#risks.has(text)) logFinding(this.#logger, finding);
    }
    for (const [text, { subject, message }] of this.#risks) {
      if (!risks.has(text)) this.#logger.info({ subject }, `storage: resolved: ${message}`);
    }
    this.#risks = risks;
    this.#onRisks?.(risks.size);
  }
}

interface WatchOptions {
  readonly logger: Logger;
  /** The clock's time, ms since 1970. */
  readonly now: () => number;
  readonly onRisks?: (count: number) => void;
}

/** Findings that are not ok, by their text without its numbers, which vary. */
function risksOf(findings: readonly Finding[]): ReadonlyMap<string, Finding> {
  const risks = findings.filter(({ level }) => level !== "ok");
  return new Map(risks.map((finding) => [`${finding.subject}: ${finding.message.replaceAll(/\d+/g, "n")}`, finding]));
}
