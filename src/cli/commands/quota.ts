import { defineCommand } from "../command.ts";
import { required } from "../param.ts";
import { printRecord } from "../print.ts";
import { runOperation } from "../session.ts";
import { userId } from "../values.ts";

export const quota = defineCommand({
  name: "quota",
  summary: "Show a user's points and free uses of today",
  arguments: { user: required("USER", "id of the user", userId) },
  options: {},
  examples: ["quota alice", "quota alice --json --storage fs:./data"],
  async run({ user }, context) {
    const { data } = await runOperation(context, "getMe", { user, input: {} });
    await printRecord(context, data);
  },
});
