import { defineCommand } from "../../command.ts";
import { required } from "../../param.ts";
import { printRecord } from "../../print.ts";
import { runOperation } from "../../session.ts";
import { userId } from "../../values.ts";

export const show = defineCommand({
  name: "show",
  summary: "Show a user's plan and its features",
  arguments: { user: required("USER", "id of the user", userId) },
  options: {},
  examples: ["subscription show carol", "subscription show carol --json"],
  async run({ user }, context) {
    const { data } = await runOperation(context, "getSubscription", { user, input: {} });
    await printRecord(context, data);
  },
});
