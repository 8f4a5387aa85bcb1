import { defineCommand } from "../../framework/define-command.ts";
import { confirmChange, yesFlag } from "../../framework/confirm.ts";
import { UsageError } from "../../framework/exit.ts";
import { knownUser, optional, required } from "../../framework/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { withAccounts } from "../../target/session.ts";
import { expiry, text } from "../../framework/value-readers.ts";
import { SUBSCRIPTION_DISPLAY } from "./subscription-display.ts";
import { expiresAt } from "../../framework/expires-at.ts";

export const set = defineCommand({
  name: "set",
  summary: "Set a user's plan and when it expires",
  description:
    "Set a user's plan and when it expires. Without --expires it does not expire. An active plan keeps its start.",
  arguments: { user: knownUser("USER", "id of the user") },
  options: {
    plan: { ...required("plan", "a configured plan, as free or pro", text(64)), holds: "plan" },
    expires: optional("when", "ISO 8601 instant, days as 30d, or never", expiry),
    yes: yesFlag,
  },
  examples: [
    "subscription set alice --plan pro --expires 30d",
    "subscription set alice --plan pro --expires 2027-01-01T00:00:00+08:00 --yes",
    "subscription set alice --plan free",
  ],
  async run({ user, plan, expires, yes }, context) {
    const expires_at = expiresAt(expires, context.clock.now());
    if (expires_at !== undefined && plan === "free")
      throw new UsageError("--expires cannot be used with the free plan.");
    const data = await withAccounts(
      context,
      async ({ service, callOf }) => {
        const call = await callOf(user);
        await confirmChange(context, yes, `Set the plan of ${user} to ${plan}?`);
        const { setPlan } = await import("../../../admin/set-plan.ts");
        await setPlan(service, user, plan, expires_at);
        return (await service.run("getSubscription", call, {})).data;
      },
      {
        check({ plans }) {
          const known = Object.keys(plans);
          if (!known.includes(plan)) throw new UsageError(`--plan must be one of ${known.join(", ")}, not ${plan}.`);
        },
      },
    );
    await printRecord(context, data, SUBSCRIPTION_DISPLAY);
  },
});
