import type { TokenRecord } from "../../../accounts/tokens.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { confirmChange, yesFlag } from "../../framework/confirm.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { required } from "../../framework/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { withAccounts } from "../../target/session.ts";
import { text } from "../../framework/value-readers.ts";
import { toTokenRow } from "../../../admin/token-state.ts";

export const revoke = defineCommand({
  name: "revoke",
  summary: "Revoke a token permanently",
  description: "Revoke a token permanently. A daemon refuses it within auth.cache_ms.",
  arguments: {
    token: required("ID", "id of the token, as `anp tokens list` shows it, or the token itself", text(4096)),
  },
  options: { yes: yesFlag },
  examples: ["tokens revoke 1f2e3d4c5b6a7988", "tokens revoke 1f2e3d4c5b6a7988 --yes --json"],
  async run({ token, yes }, context) {
    const row = await withAccounts(context, async ({ service }) => {
      const found = await service.tokens.find(token);
      if (found === undefined) {
        throw new CommandFailure(EXIT.notFound, "No such token. `anp tokens list USER` shows the ids.");
      }
      if (found.revoked_at === null) await confirmChange(context, yes, `Revoke ${describeToken(found)}?`);
      const record = (await service.tokens.revoke(found.id)) ?? found;
      return toTokenRow(record, service.clock.now());
    });
    await printRecord(context, row);
  },
});

function describeToken({ id, user_id, label }: TokenRecord): string {
  const labelled = label === "" ? "" : ` (${cleanLine(label)})`;
  return `the token ${id}${labelled} of ${cleanLine(user_id)}`;
}
