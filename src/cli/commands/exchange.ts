import { defineCommand } from "../framework/define-command.ts";
import { confirmChange, yesFlag } from "../framework/confirm.ts";
import { optional, required, userParam } from "../framework/param.ts";
import { printRecord } from "../terminal/print.ts";
import { runAccountOperation } from "../target/operations.ts";
import { amount, idempotencyKey } from "../framework/value-readers.ts";

export const exchange = defineCommand({
  name: "exchange",
  summary: "Exchange platform tokens of a user for points",
  description: "Exchange platform tokens of a user for points: floor(AMOUNT × exchange.rate), exact in decimal.",
  arguments: {
    user: userParam("USER", "id of the user"),
    amount: required("AMOUNT", "units of the platform token, greater than 0", amount),
  },
  options: {
    idempotencyKey: optional("key", "a repeat with the same key and amount returns the first result", idempotencyKey),
    yes: yesFlag,
  },
  target: "either",
  examples: ["exchange alice 1.5", "exchange alice 1.5 --idempotency-key order-42 --yes"],
  fields: { token_amount: "AMOUNT" },
  async run({ user, amount: token_amount, idempotencyKey: key, yes }, context) {
    const { data } = await runAccountOperation(context, "exchangePoints", {
      user,
      idempotencyKey: key,
      input: { body: { token_amount } },
      async before({ session, currentUser }) {
        const rate = session?.service.config.exchange.rate;
        // A daemon reports its rate only with the result.
        const terms = rate === undefined ? "at the daemon's rate" : `at ${rate} points a unit`;
        await confirmChange(context, yes, async () => `Exchange ${token_amount} of ${await currentUser()} ${terms}?`);
      },
    });
    await printRecord(context, data);
  },
});
