import type { TokenRecord, TokenRow, Tokens } from "../../../accounts/tokens.ts";
import { toIso } from "../../../runtime/clock.ts";
import { CommandFailure, defineCommand, defineGroup, EXIT, UsageError, type Context } from "../../framework/command.ts";
import { confirmChange } from "../../framework/confirm.ts";
import { knownUser, optional, expiry, name, text, toggle, userId } from "../../params/param.ts";
import { gracePeriod, showAge, showSpan, showTimeIn } from "../../framework/time-format.ts";
import { findUser, withAccounts } from "../../target/operations.ts";
import type { AccountsSession } from "../../target/open-session.ts";
import { cleanLine, showId } from "../../terminal/clean-text.ts";
import { printRecord, printTable } from "../../terminal/print.ts";

const newTokenFlags = { expires: optional(expiry), label: optional(text(64)) };

const issue = defineCommand("tokens issue", {
  arguments: { user: knownUser() },
  options: newTokenFlags,
  async run({ user, expires, label }, context) {
    const expires_at = expires?.(context.clock.now());
    await withAccounts(context, async ({ service, zone, activeCallOf }) => {
      await activeCallOf(user);
      await printSecret(context, zone, await service.tokens.issue(user, { expires_at, label }));
    });
  },
});

type Issued = { readonly secret: string; readonly record: TokenRecord };

/** Prints a new token. @param zone of its times @returns false when nobody has read it */
export async function printSecret(context: Context, zone: string, { secret, record }: Issued, more: object = {}) {
  const { terminal } = context;
  if (context.globals.format !== undefined) {
    const { start: _start, revoked_at: _revoked, ...shown } = record;
    return printRecord(context, { token: secret, ...shown, ...more }, shownBy(showTimeIn(zone)));
  }
  const isRead = await terminal.write(`${secret}\n`);
  terminal.say(`Token ${record.id} of ${record.user_id}. It is shown only this once.`);
  return isRead;
}

const shownBy = <T>(at: T) => ({ created_at: at, expires_at: at, revoked_at: at, others_end_at: at });

const rotate = defineCommand("tokens rotate", {
  arguments: { user: knownUser() },
  options: { grace: optional(gracePeriod), ...newTokenFlags, yes: toggle() },
  async run({ user, grace = 0, expires, label, yes }, context) {
    const expires_at = expires?.(context.clock.now());
    await withAccounts(context, async ({ service: { tokens, clock }, zone, activeCallOf }) => {
      await activeCallOf(user);
      // Only tokens from before the new one are ended: concurrent rotations keep each other's new token.
      const others = await activeTokens(tokens, user);
      const when = grace === 0 ? "at once" : `in ${showSpan(grace)}`;
      if (others.length > 0) await confirmChange(context, yes, `End ${countTokens(others)} of ${user} ${when}?`);
      const issued = await tokens.issue(user, { expires_at, label });
      const now = clock.now();
      const others_end_at = toIso(now + grace);
      // Once the others have ended, a secret that nobody read would leave the user without any.
      if (!(await printSecret(context, zone, issued, { others: idsOf(others), others_end_at })))
        throw new CommandFailure(EXIT.failure, "The new token was not read: the others go on working.");
      await tokens.end(user, idsOf(others), grace, now);
      context.terminal.say(`${countTokens(others)} of ${user} ${grace === 0 ? "ended" : `will end ${when}`}.`);
    });
  },
});

const idsOf = (records: readonly TokenRow[]): string[] => records.map(({ id }) => id);
const countTokens = ({ length }: readonly unknown[]): string => (length === 1 ? "1 token" : `${length} tokens`);

const isActive = ({ state }: TokenRow): boolean => state === "active";
const activeTokens = async (tokens: Tokens, user: string) => (await tokens.list(user)).filter(isActive);

const list = defineCommand("tokens list", {
  arguments: { user: knownUser() },
  async run({ user }, context) {
    const read = async ({ service }: AccountsSession) => service.tokens.list(await findUser(context, service, user));
    const rows = await withAccounts(context, read);
    await printTable(context, { table: "tokens", rows, none: `${user} has no tokens.` });
  },
});

const revoke = defineCommand("tokens revoke", {
  arguments: { token: optional(name(4096)) },
  options: { user: optional(userId, "user"), all: toggle(), yes: toggle() },
  async run({ token, user, all, yes }, context) {
    if (token === undefined && !all && context.terminal.canPrompt)
      return revokeOne(context, await chooseToken(context, user), yes);
    if ((token === undefined) === (user === undefined)) throw new UsageError("Give either ID, or --user and --all.");
    if (all !== (user !== undefined)) throw new UsageError("--user and --all go together.");
    await (user === undefined ? revokeOne(context, token!, yes) : revokeAll(context, user, yes));
  },
});

const revokeAll = (context: Context, user: string, yes: boolean) =>
  withAccounts(context, async ({ service: { tokens }, callOf }) => {
    await callOf(user);
    const active = await activeTokens(tokens, user);
    const question = `Revoke ${countTokens(active)} of ${showId(user)}?`;
    if (active.length > 0) await confirmChange(context, yes, question);
    const rows = await tokens.end(user, idsOf(active));
    await printTable(context, { table: "tokens", rows, none: `${user} has no active tokens.` });
  });

const revokeOne = (context: Context, token: string, yes: boolean) =>
  withAccounts(context, async ({ service: { tokens }, zone }) => {
    const found = await tokens.find(token);
    if (found === undefined)
      throw new CommandFailure(EXIT.notFound, "No such token. `anp tokens list USER` shows the ids.");
    const { id, user_id, label } = found;
    const named = `the token ${id}${label === "" ? "" : ` (${cleanLine(label)})`} of ${showId(user_id)}`;
    if (found.revoked_at === null) await confirmChange(context, yes, `Revoke ${named}?`);
    await printRecord(context, (await tokens.revoke(id)) ?? found, shownBy(showTimeIn(zone)));
  });

async function chooseToken(context: Context, user: string | undefined): Promise<string> {
  const { askFor, askForOneOf } = await import("../../terminal/prompt.ts");
  const owner = user ?? (await askFor({ ...knownUser(), value: "USER", about: "whose token to revoke" }, context));
  const active = await withAccounts(context, async ({ service: { tokens }, callOf }) => {
    await callOf(owner);
    return activeTokens(tokens, owner);
  });
  if (active.length === 0) throw new CommandFailure(EXIT.notFound, `${owner} has no active tokens.`);
  const now = context.clock.now();
  const choices = active.map(({ id, start, label, created_at }) => {
    const shown = [id, start && `${start}…`, cleanLine(label), showAge(created_at, now)];
    return { value: id, name: shown.filter(Boolean).join("  ") };
  });
  return askForOneOf(`Token of ${showId(owner)}`, choices, context);
}

export const command = defineGroup("tokens", { issue, list, rotate, revoke });
