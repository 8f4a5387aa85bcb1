import type { TokenRecord } from "../../accounts/tokens.ts";
import { type TokenRow, toTokenRow } from "../../admin/token-state.ts";
import { confirmChange, yesFlag } from "../framework/confirm.ts";
import { defineCommand, defineGroup } from "../framework/define-command.ts";
import { CommandFailure, EXIT } from "../framework/exit.ts";
import { knownUser, optional, required, expiresAt, expiry, text } from "../framework/param.ts";
import { showAge } from "../framework/time-format.ts";
import { USER_OR_TOKEN, findUser, withAccounts } from "../target/operations.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import type { Column } from "../terminal/column.ts";
import { printRecord, printRows } from "../terminal/print.ts";

/** @param now ms since the epoch, for the age of a token */
export function tokenColumns(now: number): readonly Column<TokenRow>[] {
  return [
    { name: "id" },
    { name: "start", show: ({ start }) => (start === undefined ? "-" : `${start}…`) },
    { name: "label", wide: true },
    { name: "created_at", show: ({ created_at }) => showAge(created_at, now) },
    { name: "expires_at", show: ({ expires_at }) => (expires_at === null ? "never" : showAge(expires_at, now)) },
    { name: "state" },
  ];
}

const issue = defineCommand({
  summary: "Issue a token for a user",
  arguments: { user: knownUser("USER", "id of the user") },
  options: {
    expires: optional("when", "ISO 8601 instant, days as 30d, or never; never when left out", expiry),
    label: optional("text", "what the token is for", text(64)),
  },
  async run({ user, expires, label }, context) {
    const expires_at = expiresAt(expires, context.clock.now());
    const { secret, record } = await withAccounts(
      context,
      async ({ service, callOf }) => {
        await callOf(user);
        return service.tokens.issue(user, { expires_at, label });
      },
      { secret: true },
    );
    const { id, user_id } = record;
    if (context.globals.format === undefined) {
      await context.terminal.write(`${secret}\n`);
      context.terminal.say(`Token ${id} of ${user_id}. It is shown only this once.`);
    } else {
      const { start: _start, revoked_at: _revoked, ...shown } = record;
      await printRecord(context, { token: secret, ...shown });
    }
  },
});

const list = defineCommand({
  summary: "List a user's tokens, without their secrets",
  arguments: { user: knownUser("USER", USER_OR_TOKEN) },
  async run({ user }, context) {
    const rows = await withAccounts(context, async ({ service }) => {
      const records = await service.tokens.list(await findUser(service, user));
      return records.map((record) => toTokenRow(record, service.clock.now()));
    });
    await printRows(context, { data: rows, rows, columns: tokenColumns(context.clock.now()) });
    if (rows.length === 0) context.terminal.say(`${user} has no tokens.`);
  },
});

const revoke = defineCommand({
  summary: "Revoke a token permanently",
  arguments: {
    token: required("ID", "id of the token, as `anp tokens list` shows it, or the token itself", text(4096)),
  },
  options: { yes: yesFlag },
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

export const command = defineGroup({ issue, list, revoke });
