import { confirmUnlessYes, yesFlag } from "../../framework/confirm.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { withBareStorage } from "../../target/bare-storage.ts";
import { printRecord } from "../../terminal/print.ts";

export const info = defineCommand("storage info", {
  async run(_values, context) {
    await withBareStorage(context, async (storage, { storage_id: expected }) => {
      const { findIdentity } = await import("../../../storage/identity/storage-identity.ts");
      const { id: identity = null, missing, marks } = await findIdentity(storage, true);
      const found = { storage: storage.url, identity, expected: expected ?? null, marks: marks - missing };
      const risks = (await storage.examine(context.clock.now())).flatMap(({ loses }) => loses ?? []);
      const durable = storage.durable && risks.length === 0;
      await printRecord(context, { ...found, marks_missing: missing, durable, may_lose: risks.join("; ") || null });
    });
  },
});

export const accept = defineCommand("storage accept", {
  options: { yes: yesFlag },
  async run({ yes }, context) {
    await withBareStorage(context, async (storage, { storage_id: expected }) => {
      const { acceptStorage, findIdentity } = await import("../../../storage/identity/storage-identity.ts");
      const { noteUse } = await import("../../../storage/health/last-use.ts");
      const { id: before } = await findIdentity(storage, true);
      const found = before === undefined ? "no identity" : `the identity ${before}`;
      await confirmUnlessYes(context, yes, `Go on with ${storage.url}, which has ${found}?`);
      const identity = await acceptStorage(storage, expected);
      await noteUse(storage);
      await printRecord(context, { storage: storage.url, before: before ?? null, identity: identity ?? null });
    });
  },
});
