import { defineCommand } from "../../framework/define-command.ts";
import { required } from "../../framework/param.ts";
import { withAccounts } from "../../target/session.ts";
import { text } from "../../framework/value-readers.ts";
import { restoreInto } from "./restore-into.ts";
import { SourceDamage } from "./source-damage.ts";

export const copy = defineCommand({
  name: "copy",
  summary: "Copy everything that is stored into an empty storage",
  description:
    "Copy everything that is stored into an empty storage, for example from files to Redis. Every value is read back, and " +
    "all ledgers are verified. To move a service, stop its daemons first: the copy lacks what they write after it. An " +
    "interrupted copy is finished by running it again.",
  arguments: {},
  options: { to: required("url", "the empty storage, as fs:FOLDER or redis://HOST:PORT/DB", text(4096)) },
  examples: [
    "storage copy --storage fs:./data --to redis://localhost:6379/0",
    "storage copy --storage redis://localhost:6379/0 --to fs:./backup",
  ],
  async run({ to }, context) {
    await withAccounts(context, async ({ service }) => {
      const [{ storedValues }, { openStorage }] = await Promise.all([
        import("../../../backup/storage-archive.ts"),
        import("../../../storage/open-storage.ts"),
      ]);
      const damage = new SourceDamage();
      const target = await openStorage(to);
      try {
        await restoreInto(context, target, storedValues(service.storage, damage.note));
      } finally {
        await target.close();
      }
      damage.fail();
    });
  },
});
