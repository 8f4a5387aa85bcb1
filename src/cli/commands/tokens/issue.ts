import { defineCommand } from "../../framework/define-command.ts";
import { knownUser, optional } from "../../framework/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { withAccounts } from "../../target/session.ts";
import { expiry, text } from "../../framework/value-readers.ts";
import { expiresAt } from "../../framework/expires-at.ts";

export const issue = defineCommand({
  name: "issue",
  summary: "Issue a token for a user",
  description:
    "Issue a token for a user and print it. It is shown only once: only its hash is stored. Without --format, stdout has " +
    "the token alone. --seed has no effect on tokens.",
  arguments: { user: knownUser("USER", "id of the user") },
  options: {
    expires: optional("when", "ISO 8601 instant, days as 30d, or never; never when left out", expiry),
    label: optional("text", "what the token is for", text(64)),
  },
  examples: ["tokens issue alice --expires 30d --label phone", "tokens issue alice > alice.token"],
  async run({ user, expires, label }, context) {
    const expires_at = expiresAt(expires, context.clock.now());
    const { secret, record } = await withAccounts(
      context,
      async ({ service, callOf }) => {
        await callOf(user);
        return service.tokens.issue(user, {
          ...(expires_at !== undefined && { expires_at }),
          ...(label !== undefined && { label }),
        });
      },
      { secret: true },
    );
    const { id, user_id, created_at } = record;
    if (context.globals.format === undefined) {
      await context.terminal.write(`${secret}\n`);
      context.terminal.say(`Token ${id} of ${user_id}. It is shown only this once.`);
    } else {
      await printRecord(context, {
        token: secret,
        id,
        user_id,
        label: record.label,
        created_at,
        expires_at: record.expires_at,
      });
    }
  },
});
