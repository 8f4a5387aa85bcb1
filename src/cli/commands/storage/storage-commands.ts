import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { CommandFailure, defineCommand, defineGroup, EXIT, UsageError, type Context } from "../../framework/command.ts";
import { confirmUnlessYes } from "../../framework/confirm.ts";
import { withBareStorage } from "../../target/bare-storage.ts";
import { countItems, INCOMPLETE, withProgress, printLines, SkippedDamage } from "../../framework/with-progress.ts";
import { required, text, toggle } from "../../params/param.ts";
import { showCount } from "../../framework/time-format.ts";
import type { AccountsSession } from "../../target/open-session.ts";
import { withAccounts } from "../../target/operations.ts";
import { toIso } from "../../../runtime/clock.ts";
import { printRecord, printTable } from "../../terminal/print.ts";
import { openLines } from "../../terminal/input-lines.ts";
import { restoreStorage, type RestoreProgress } from "../../../backup/restore-storage.ts";
import { checksummed } from "../../../backup/checksummed-lines.ts";
import { archivedValues, storedValues, type StoredValue } from "../../../backup/storage-archive.ts";
import { acceptStorage, findIdentity } from "../../../storage/identity/storage-identity.ts";
import { UNFINISHED_IMPORT } from "../../../storage/keys.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Verification, VerifyProgress } from "../../../ledger/verify-ledgers.ts";
import { failOnDamage, verifyWithProgress } from "../ledger/verify.ts";

const copy = defineCommand("storage copy", {
  options: { to: required(text(4096)) },
  run: ({ to }, context) =>
    withAccounts(context, async ({ service }) => {
      const damage = new SkippedDamage();
      const [from, into] = [service.storage.url, to].map((url) => realFolder(context.cwd, url));
      if (from && into && (from.startsWith(into) || into.startsWith(from)))
        throw new UsageError("--to is the source's folder, or one within it or around it: a copy would copy itself.");
      const target = await (await import("../../../storage/open-storage.ts")).openStorage(to, { cwd: context.cwd });
      try {
        await restoreInto(context, target, { verb: "copy", values: storedValues(service.storage, damage.add) });
      } finally {
        await target.close();
      }
      damage.fail(EXIT.failure, SOURCE_DAMAGED);
    }),
});

/** The folder of an `fs:` URL without symbolic links, and with `/` at its end; one of its parents exists. */
function realFolder(cwd: string, url: string): string | undefined {
  if (!url.startsWith("fs:")) return undefined;
  const path = resolve(cwd, url.slice(3));
  if (existsSync(path)) return `${realpathSync(path)}/`;
  return `${realFolder(dirname(path), "fs:.")}${basename(path)}/`;
}

const exportStorage = defineCommand("storage export", {
  run: (_values, context) =>
    withAccounts(context, async ({ service: { storage, clock } }) => {
      const damage = new SkippedDamage();
      const values = storedValues(storage, damage.add);
      const lines = checksummed("storage", toIso(clock.now()), values, () => damage.count === 0);
      if (await printLines(context, INCOMPLETE, lines, "lines")) damage.fail(EXIT.failure, SOURCE_DAMAGED);
    }),
});

const importStorage = defineCommand("storage import", {
  arguments: { file: required(text(4096)) },
  async run({ file }, context) {
    const restore = async ({ service }: AccountsSession): Promise<void> => {
      const lines = await openLines(file, context.io);
      try {
        let all = 0;
        await withProgress(context, "Nothing was written.", async (report) => {
          for await (const _value of countItems(archivedValues(lines.read()), report, "values checked")) all += 1;
        }).catch((error: unknown) => {
          throw withAdvice(error, { ChecksumError: "Nothing was written." });
        });
        await restoreInto(context, service.storage, { verb: "import", values: archivedValues(lines.read()), all });
      } finally {
        await lines.close();
      }
    };
    await withAccounts(context, restore, { create: true, unfinished: true });
  },
});

/** The failure of an import with advice by the error's name, others as they are; a storage error keeps its code. */
function withAdvice(error: unknown, advice: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof Error) || !Object.hasOwn(advice, error.name)) return error;
  error.message += `\n${advice[error.name]}`;
  return error.name === "StorageError" ? error : new CommandFailure(EXIT.failure, error.message);
}

const SOURCE_DAMAGED = "The source storage is damaged. Everything else was written.";
type Restore = { readonly verb: "copy" | "import"; readonly values: AsyncIterable<StoredValue>; readonly all?: number };

async function restoreInto(context: Context, storage: Storage, { verb, values, all }: Restore): Promise<void> {
  const unfinished = `No other command works on it until the same ${verb} is run again and completes.`;
  const progress: RestoreProgress = { values: 0, present: 0 };
  const showRestored = (ms: number): string => showCount("values restored", progress.values, all, ms);
  const found: Verification[] = [];
  const others = await withProgress(context, `The storage is incomplete. ${unfinished}`, async (report) => {
    try {
      await restoreStorage(storage, values, progress, () => report(showRestored));
    } catch (error) {
      const isMarked = await storage.has(UNFINISHED_IMPORT).catch(() => progress.values > 0);
      const restored = `The storage is incomplete: ${progress.values} values were restored.`;
      throw withAdvice(error, {
        ChecksumError: `${restored} Start again with an empty storage.`,
        StorageError: isMarked ? `${restored} ${unfinished}` : "Nothing was written.",
      });
    }
    const show = ({ entries }: VerifyProgress) => `${progress.values} values restored, ${entries} entries verified`;
    return verifyWithProgress(report, storage, {}, show, found);
  });
  await storage.remove(UNFINISHED_IMPORT);
  await printRecord(context, {
    values: progress.values,
    already_there: progress.present,
    users: found.length,
    entries: found.reduce((sum, { entries }) => sum + entries, 0),
    verified: found.filter(({ damage }) => damage === undefined).length,
  });
  failOnDamage(found, ["Everything was restored, but some of it is damaged."], others);
}

const info = defineCommand("storage info", {
  run: (_values, context) =>
    withBareStorage(context, async (storage, { storage_id: expected }) => {
      const { id: identity = null, missing, marks } = await findIdentity(storage, true);
      const found = { storage: storage.url, identity, expected: expected ?? null, marks: marks - missing };
      const risks = (await storage.examine(context.clock.now())).flatMap(({ loses }) => loses ?? []);
      const durable = storage.durable && risks.length === 0;
      await printRecord(context, { ...found, marks_missing: missing, durable, may_lose: risks.join("; ") || null });
    }),
});

const accept = defineCommand("storage accept", {
  options: { yes: toggle() },
  run: ({ yes }, context) =>
    withBareStorage(context, async (storage, { storage_id: expected }) => {
      const { id: before } = await findIdentity(storage, true);
      const found = before === undefined ? "no identity" : `the identity ${before}`;
      await confirmUnlessYes(context, yes, `Go on with ${storage.url}, which has ${found}?`);
      const identity = await acceptStorage(storage, expected);
      await (await import("../../../storage/health/last-use.ts")).recordLastUse(storage);
      await printRecord(context, { storage: storage.url, before: before ?? null, identity: identity ?? null });
    }),
});

const prune = defineCommand("storage prune", {
  options: { dryRun: toggle(), yes: toggle() },
  async run({ dryRun, yes }, context) {
    const rows = await withAccounts(context, async ({ service }) => {
      const { answers_days, events_days } = service.config.retention;
      if (answers_days === undefined && events_days === undefined)
        throw new UsageError("Everything is kept for ever: set retention.answers_days or retention.events_days.");
      const { pruneStorage } = await import("../../../admin/prune-storage.ts");
      const run = (options: { dryRun: boolean }, advice: string) =>
        withProgress(context, advice, (onStep) => pruneStorage(service, { ...options, onStep }));
      const found = await run({ dryRun: true }, "Nothing was removed.");
      if (dryRun || found.every(({ count }) => count === 0)) return found;
      const [answers, sessions, days] = found.map(({ count }) => count);
      const about = `Remove ${answers} answers, ${sessions} sessions and ${days} days of events?`;
      await confirmUnlessYes(context, yes, about);
      return run({ dryRun: false }, "The same command goes on with the rest.");
    });
    await printTable(context, { table: "pruned", rows });
  },
});

const verbs = { accept, copy, export: exportStorage, import: importStorage, info, prune };
export const command = defineGroup("storage", verbs);
