import type { Storage } from "../../../storage/storage.ts";
import type { Context } from "../../framework/command-context.ts";
import { confirmChange, yesFlag } from "../../framework/confirm.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { UsageError } from "../../framework/exit.ts";
import { printRecord } from "../../terminal/print.ts";

export const info = defineCommand({
  summary: "Show a storage's identity",
  async run(_values, context) {
    await withUnidentified(context, async (storage, expected) => {
      const { findIdentity } = await import("../../../storage/identity/storage-identity.ts");
      const { id: identity = null, missing, marks } = await findIdentity(storage, true);
      const found = { storage: storage.url, identity, expected: expected ?? null, marks: marks - missing };
      await printRecord(context, { ...found, marks_missing: missing, durable: storage.durable });
    });
  },
});

export const accept = defineCommand({
  summary: "Go on with a storage that lost its identity, as it is",
  options: { yes: yesFlag },
  async run({ yes }, context) {
    if (!yes && !context.terminal.canPrompt) throw new UsageError("--yes is needed: there is no terminal to ask on.");
    await withUnidentified(context, async (storage, expected) => {
      const { acceptStorage, findIdentity } = await import("../../../storage/identity/storage-identity.ts");
      const { noteUse } = await import("../../../storage/write-probe.ts");
      const { id: before } = await findIdentity(storage, true);
      const found = before === undefined ? "no identity" : `the identity ${before}`;
      await confirmChange(context, yes, `Go on with ${storage.url}, which has ${found}?`);
      const identity = await acceptStorage(storage, expected);
      await noteUse(storage);
      await printRecord(context, { storage: storage.url, before: before ?? null, identity: identity ?? null });
    });
  },
});

/** Opens the storage of the configuration whatever its identity is, and closes it after `action`. */
async function withUnidentified(
  context: Context,
  action: (storage: Storage, expected: string | undefined) => Promise<void>,
): Promise<void> {
  const { openConfig } = await import("../../target/open-config.ts");
  const { openStorage } = await import("../../../storage/open-storage.ts");
  const { config, cwd } = await openConfig(context);
  const storage = await openStorage(config.storage, { mustExist: true, cwd });
  try {
    await action(storage, config.storage_id);
  } finally {
    await storage.close();
  }
}
