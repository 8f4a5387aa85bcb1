import { toIso } from "../../../runtime/clock.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { EXIT } from "../../framework/exit.ts";
import { LeftOut } from "../../framework/left-out.ts";
import { SOURCE_DAMAGED } from "./restore-into.ts";
import { withAccounts } from "../../target/session.ts";
import { printLines } from "../../terminal/print.ts";

export const exportStorage = defineCommand({
  summary: "Print everything that is stored, as JSON lines",
  formats: ["jsonl"],
  async run(_values, context) {
    await withAccounts(context, async ({ service: { storage, clock } }) => {
      const { archiveLines } = await import("../../../backup/storage-archive.ts");
      const damage = new LeftOut();
      if (await printLines(context, archiveLines(storage, toIso(clock.now()), damage.add)))
        damage.fail(EXIT.failure, () => SOURCE_DAMAGED);
    });
  },
});
