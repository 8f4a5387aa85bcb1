import { defineCommand } from "../framework/define-command.ts";
import { confirmChange, yesFlag } from "../framework/confirm.ts";
import { optional, required, userParam, amount, idempotencyKey } from "../framework/param.ts";
import { printRecord } from "../terminal/print.ts";
import { noteReplay, withAccountOperations } from "../target/operations.ts";

export const command = defineCommand({
  arguments: {
    user: userParam("USER", "id of the user"),
    amount: required("AMOUNT", "units of the platform token, greater than 0", amount),
  },
  options: {
    idempotencyKey: optional("key", "a repeat with the same key and amount returns the first result", idempotencyKey),
    yes: yesFlag,
  },
  target: "either",
  fields: { token_amount: "AMOUNT" },
  async run({ user, amount: token_amount, idempotencyKey: key, yes }, context) {
    const outcome = await withAccountOperations(context, user, async ({ session, currentUser, run }) => {
      const rate = session?.service.config.exchange.rate;
      // A daemon reports its rate only with the result.
      const terms = rate === undefined ? "at the daemon's rate" : `at ${rate} points a unit`;
      await confirmChange(context, yes, async () => `Exchange ${token_amount} of ${await currentUser()} ${terms}?`);
      return run("exchangePoints", { body: { token_amount } }, key);
    });
    noteReplay(context, outcome);
    await printRecord(context, outcome.data);
  },
});
