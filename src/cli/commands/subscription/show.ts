import { defineCommand } from "../../command.ts";
import { userParam } from "../../param.ts";
import { printRecord } from "../../print.ts";
import { runAccountOperation } from "../../operations.ts";
import { USER_OR_TOKEN } from "../../user-named.ts";
import { SUBSCRIPTION_WORDS } from "./words.ts";

export const show = defineCommand({
  name: "show",
  summary: "Show a user's plan and its features",
  arguments: { user: userParam("USER", USER_OR_TOKEN) },
  options: {},
  target: "either",
  examples: ["subscription show carol", "subscription show carol --json"],
  async run({ user }, context) {
    const { data } = await runAccountOperation(context, "getSubscription", { user, input: {} });
    await printRecord(context, data, SUBSCRIPTION_WORDS);
  },
});
