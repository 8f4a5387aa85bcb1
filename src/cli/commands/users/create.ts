import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { optional, required } from "../../framework/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { withAccounts } from "../../target/session.ts";
import { integer, oneOf, userId } from "../../framework/value-readers.ts";
import { userDetails } from "../../../admin/user-details.ts";

export const create = defineCommand({
  name: "create",
  summary: "Create a user",
  description: "Create a user with an empty ledger. If the user exists, nothing changes and the exit code is 1.",
  arguments: { user: required("USER", "id of the user, 1 to 128 characters", userId) },
  options: {
    quota: optional("n", "free uses a day; the configured default when left out", integer(0)),
    lang: optional("lang", "language the user reads: zh or en; zh when left out", oneOf("zh", "en")),
  },
  examples: ["users create dave", "users create dave --quota 10 --lang en"],
  async run({ user, quota, lang }, context) {
    const settings = {
      ...(quota !== undefined && { free_daily_quota: quota }),
      ...(lang !== undefined && { lang }),
    };
    const details = await withAccounts(
      context,
      async ({ service }) => {
        if (await service.users.create(user, settings)) return userDetails(service, user);
        throw new CommandFailure(EXIT.failure, `User ${user} already exists.`);
      },
      { create: true },
    );
    await printRecord(context, details);
  },
});
