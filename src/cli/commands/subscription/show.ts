import { defineCommand } from "../../framework/define-command.ts";
import { userParam } from "../../framework/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { runAccountOperation } from "../../target/operations.ts";
import { USER_OR_TOKEN } from "../../target/find-user.ts";
import { SUBSCRIPTION_DISPLAY } from "./subscription-display.ts";

export const show = defineCommand({
  name: "show",
  summary: "Show a user's plan and its features",
  arguments: { user: userParam("USER", USER_OR_TOKEN) },
  options: {},
  target: "either",
  examples: ["subscription show carol", "subscription show carol --json"],
  async run({ user }, context) {
    const { data } = await runAccountOperation(context, "getSubscription", { user, input: {} });
    await printRecord(context, data, SUBSCRIPTION_DISPLAY);
  },
});
