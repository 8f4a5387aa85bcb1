import { defineCommand } from "../../command.ts";
import { confirmChange, yesFlag } from "../../confirm.ts";
import { CommandFailure, EXIT } from "../../exit.ts";
import { required } from "../../param.ts";
import { printRecord } from "../../print.ts";
import { withSession } from "../../session.ts";
import { text } from "../../values.ts";
import { toRow } from "./state.ts";

export const revoke = defineCommand({
  name: "revoke",
  summary: "Revoke a token, for good",
  description: "Revoke a token, for good. A daemon refuses it within auth.cache_ms.",
  arguments: {
    token: required("ID", "id of the token, as `anp tokens list` shows it, or the token itself", text(4096)),
  },
  options: { yes: yesFlag },
  examples: ["tokens revoke 1f2e3d4c5b6a7988", "tokens revoke 1f2e3d4c5b6a7988 --yes --json"],
  async run({ token, yes }, context) {
    const row = await withSession(context, async ({ service }) => {
      await confirmChange(context, yes, "Revoke the token?");
      const record = await service.tokens.revoke(token);
      if (record === undefined)
        throw new CommandFailure(EXIT.notFound, "No such token is known. `anp tokens list USER` shows the ids.");
      return toRow(record, service.clock.now());
    });
    await printRecord(context, row);
  },
});
