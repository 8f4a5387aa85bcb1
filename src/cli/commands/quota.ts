import { defineCommand } from "../framework/define-command.ts";
import { userParam } from "../framework/param.ts";
import { printRecord } from "../terminal/print.ts";
import { runAccountOperation } from "../target/operations.ts";
import { showReset } from "../framework/time-format.ts";
import { USER_OR_TOKEN } from "../target/find-user.ts";

export const quota = defineCommand({
  name: "quota",
  summary: "Show a user's points and free uses of today",
  arguments: { user: userParam("USER", USER_OR_TOKEN) },
  options: {},
  target: "either",
  examples: ["quota alice", "quota alice --json --storage fs:./data"],
  async run({ user }, context) {
    const { data } = await runAccountOperation(context, "getMe", { user, input: {} });
    const now = context.clock.now();
    await printRecord(context, data, { next_reset_at: (iso) => showReset(iso, now) });
  },
});
