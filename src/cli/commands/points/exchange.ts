import { defineCommand } from "../../framework/command.ts";
import { confirmUnlessYes } from "../../framework/confirm.ts";
import { optional, required, userParam, amount, idempotencyKey, toggle } from "../../params/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { reportReplay, withAccountOperations } from "../../target/operations.ts";

export const command = defineCommand("exchange", {
  arguments: { user: userParam(), amount: required(amount) },
  options: { idempotencyKey: optional(idempotencyKey), yes: toggle() },
  async run({ user, amount: token_amount, idempotencyKey: key, yes }, context) {
    const outcome = await withAccountOperations(context, user, async ({ session, currentUser, run }) => {
      await confirmUnlessYes(context, yes, async () => {
        const { balance } = (await run("getPoints", {})).data;
        const rate = session?.service.config.exchange.rate; // A daemon reports its rate only with the result.
        const { pointsFor } = await import("../../../ledger/points-rules.ts");
        const terms =
          rate === undefined
            ? `at the daemon's rate (has ${balance} points)`
            : `at ${rate} points a unit (${balance} → ${balance + pointsFor(token_amount, rate)} points)`;
        return `Exchange ${token_amount} of ${await currentUser()} ${terms}?`;
      });
      return run("exchangePoints", { body: { token_amount } }, key);
    });
    reportReplay(context, outcome);
    await printRecord(context, outcome.data);
  },
});
