import type { OperationData } from "../../../contract/endpoints.ts";
import { defineCommand, defineGroup, UsageError, type Context } from "../../framework/command.ts";
import { confirmChange } from "../../framework/confirm.ts";
import { knownUser, optional, required, userParam, expiry, name, toggle } from "../../params/param.ts";
import { showTimeIn } from "../../framework/time-format.ts";
import { withAccountOperations, type AccountOperations, withAccounts } from "../../target/operations.ts";
import { printRecord } from "../../terminal/print.ts";

type Subscription = OperationData<"getSubscription">;

/** Features as a terminal shows them: `memory on, advanced research off`. */
export const showFeatures = (features: Subscription["features"]): string =>
  Object.entries(features)
    .map(([name, on]) => `${name.replaceAll("_", " ")} ${on ? "on" : "off"}`)
    .join(", ");

async function printSubscription(context: Context, data: Subscription, zone: string): Promise<void> {
  const is_active = (active: boolean): string => (active ? "yes" : "no");
  const shown = { started_at: showTimeIn(zone), expires_at: showTimeIn(zone), features: showFeatures, is_active };
  await printRecord(context, data, shown);
}

const show = defineCommand("subscription show", {
  arguments: { user: userParam() },
  async run({ user }, context) {
    const read = async ({ run, zone }: AccountOperations) =>
      printSubscription(context, (await run("getSubscription", {})).data, await zone());
    await withAccountOperations(context, user, read, { lookUp: true });
  },
});

const set = defineCommand("subscription set", {
  arguments: { user: knownUser() },
  options: { plan: required(name(64), "plan"), expires: optional(expiry), yes: toggle() },
  async run({ user, plan, expires, yes }, context) {
    const expires_at = expires?.(context.clock.now());
    if (expires_at !== undefined && plan === "free")
      throw new UsageError("--expires cannot be used with the free plan.");
    await withAccounts(context, async ({ service, zone, activeCallOf }) => {
      const known = Object.keys(service.config.plans);
      if (!known.includes(plan)) throw new UsageError(`--plan must be one of ${known.join(", ")}, not ${plan}.`);
      const call = await activeCallOf(user);
      await confirmChange(context, yes, `Set the plan of ${user} to ${plan}?`);
      await service.subscriptions.setPlan(user, plan, expires_at);
      await printSubscription(context, (await service.run("getSubscription", call, {})).data, zone);
    });
  },
});

export const command = defineGroup("subscription", { show, set });
