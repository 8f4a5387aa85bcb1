import { defineCommand } from "../../framework/command.ts";
import { userParam } from "../../params/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { withAccountOperations } from "../../target/operations.ts";
import { showReset } from "../../framework/time-format.ts";

export const command = defineCommand("quota", {
  arguments: { user: userParam() },
  async run({ user }, context) {
    const { data } = await withAccountOperations(context, user, ({ run }) => run("getMe", {}), { lookUp: true });
    await printRecord(context, data, { next_reset_at: (iso) => showReset(iso, context.clock.now()) });
  },
});
