import { defineCommand } from "../../framework/define-command.ts";
import { EXIT } from "../../framework/exit.ts";
import { LeftOut } from "../../framework/left-out.ts";
import { required } from "../../framework/param.ts";
import { withAccounts } from "../../target/session.ts";
import { text } from "../../framework/value-readers.ts";
import { restoreInto, SOURCE_DAMAGED } from "./restore-into.ts";

export const copy = defineCommand({
  summary: "Copy everything that is stored into an empty storage",
  options: { to: required("url", "the empty storage, as fs:FOLDER or redis://HOST:PORT/DB", text(4096)) },
  async run({ to }, context) {
    await withAccounts(context, async ({ service }) => {
      const [{ storedValues }, { openStorage }] = await Promise.all([
        import("../../../backup/storage-archive.ts"),
        import("../../../storage/open-storage.ts"),
      ]);
      const damage = new LeftOut();
      const target = await openStorage(to, { cwd: context.cwd });
      try {
        await restoreInto(context, target, storedValues(service.storage, damage.add));
      } finally {
        await target.close();
      }
      damage.fail(EXIT.failure, () => SOURCE_DAMAGED);
    });
  },
});
