import { defineCommand } from "../../command.ts";
import { userParam } from "../../param.ts";
import { printRecord } from "../../print.ts";
import { runAccountOperation } from "../../operations.ts";
import { SUBSCRIPTION_WORDS } from "./words.ts";

export const show = defineCommand({
  name: "show",
  summary: "Show a user's plan and its features",
  arguments: { user: userParam("USER", "id of the user, or the beginning of a token") },
  options: {},
  target: "either",
  examples: ["subscription show carol", "subscription show carol --json"],
  async run({ user }, context) {
    const { data } = await runAccountOperation(context, "getSubscription", { user, input: {} });
    await printRecord(context, data, SUBSCRIPTION_WORDS);
  },
});
