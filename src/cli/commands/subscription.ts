import type { OperationData } from "../../contract/endpoints.ts";
import { confirmChange, yesFlag } from "../framework/confirm.ts";
import { defineCommand, defineGroup } from "../framework/define-command.ts";
import { UsageError } from "../framework/exit.ts";
import { knownUser, optional, required, userParam, expiresAt, expiry, text } from "../framework/param.ts";
import { showLocal } from "../framework/time-format.ts";
import { USER_OR_TOKEN, withAccountOperations, type AccountOperations, withAccounts } from "../target/operations.ts";
import { printRecord } from "../terminal/print.ts";

type Subscription = OperationData<"getSubscription">;

const showInstant = (iso: string | null): string => (iso === null ? "-" : showLocal(iso));

/** Features as a terminal shows them: `memory on, advanced research off`. */
export function showFeatures(features: Subscription["features"]): string {
  return Object.entries(features)
    .map(([name, on]) => `${name.replaceAll("_", " ")} ${on ? "on" : "off"}`)
    .join(", ");
}

const SUBSCRIPTION_DISPLAY = {
  started_at: showInstant,
  expires_at: showInstant,
  features: showFeatures,
  is_active: (active: boolean): string => (active ? "yes" : "no"),
} as const;

const show = defineCommand({
  summary: "Show a user's plan and its features",
  arguments: { user: userParam("USER", USER_OR_TOKEN) },
  target: "either",
  async run({ user }, context) {
    const read = ({ run }: AccountOperations) => run("getSubscription", {});
    const { data } = await withAccountOperations(context, user, read, { lookUp: true });
    await printRecord(context, data, SUBSCRIPTION_DISPLAY);
  },
});

const set = defineCommand({
  summary: "Set a user's plan and when it expires",
  arguments: { user: knownUser("USER", "id of the user") },
  options: {
    plan: required("plan", "a configured plan, as free or pro", text(64), "plan"),
    expires: optional("when", "ISO 8601 instant, days as 30d, or never", expiry),
    yes: yesFlag,
  },
  async run({ user, plan, expires, yes }, context) {
    const expires_at = expiresAt(expires, context.clock.now());
    if (expires_at !== undefined && plan === "free")
      throw new UsageError("--expires cannot be used with the free plan.");
    const data = await withAccounts(
      context,
      async ({ service, callOf }) => {
        const call = await callOf(user);
        await confirmChange(context, yes, `Set the plan of ${user} to ${plan}?`);
        const { setPlan } = await import("../../admin/set-plan.ts");
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

export const command = defineGroup({ show, set });
