import { defineCommand } from "../command.ts";
import { confirmChange, yesFlag } from "../confirm.ts";
import { optional, required } from "../param.ts";
import { printRecord } from "../print.ts";
import { runOperation } from "../session.ts";
import { amount, idempotencyKey, userId } from "../values.ts";

export const exchange = defineCommand({
  name: "exchange",
  summary: "Exchange platform tokens of a user for points",
  description: "Exchange platform tokens of a user for points: floor(AMOUNT × exchange.rate), exact in decimal.",
  arguments: {
    user: required("USER", "id of the user", userId),
    amount: required("AMOUNT", "units of the platform token, greater than 0", amount),
  },
  options: {
    idempotencyKey: optional("key", "a repeat with the same key and amount gives the first result", idempotencyKey),
    yes: yesFlag,
  },
  examples: ["exchange alice 1.5", "exchange alice 1.5 --idempotency-key order-42 --yes"],
  fields: { token_amount: "AMOUNT" },
  async run({ user, amount: token_amount, idempotencyKey: key, yes }, context) {
    const { data } = await runOperation(context, "exchangePoints", {
      user,
      idempotencyKey: key,
      input: { body: { token_amount } },
      before: ({ service }) => {
        const { rate } = service.config.exchange;
        return confirmChange(context, yes, `Exchange ${token_amount} of ${user} at ${rate} points a unit?`);
      },
    });
    await printRecord(context, data);
  },
});
