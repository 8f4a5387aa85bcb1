import { adjustmentOf } from "../../../admin/ledger-reader.ts";
import { AnpError, ERRORS } from "../../../contract/errors.ts";
import type { PostResult } from "../../../ledger/user-ledger.ts";
import { CommandFailure, defineCommand, defineGroup, EXIT, UsageError, type Context } from "../../framework/command.ts";
import { confirmUnlessYes, operatorFlags } from "../../framework/confirm.ts";
import { knownUser, optional, required, delta, idempotencyKey, name, toggle, userId } from "../../params/param.ts";
import { showTimeIn } from "../../framework/time-format.ts";
import { reportReplay, withAccounts } from "../../target/operations.ts";
import { printRecord } from "../../terminal/print.ts";

const adjust = defineCommand("points adjust", {
  arguments: { user: knownUser(), delta: required(delta) },
  options: { ...operatorFlags, idempotencyKey: optional(idempotencyKey), yes: toggle() },
  run: ({ user, delta: change, reason, actor, idempotencyKey: key, yes }, context) =>
    withAccounts(context, async ({ service, zone, callOf }) => {
      const call = await callOf(user, key);
      const { balance } = (await service.userStates.of(user)).ledger.account;
      const verb = change > 0 ? `Give ${change} points to` : `Take ${-change} points from`;
      await confirmUnlessYes(context, yes, `${verb} ${user} (${balance} → ${balance + change})?`);
      await printPosted(context, service.adjust({ ...call, user, delta: change, reason, actor }), zone);
    }),
});

const refuse = (damage: Error): never => {
  throw damage;
};

const reverse = defineCommand("points reverse", {
  arguments: { entry: required(name(128)) },
  options: { user: required(userId, "user"), ...operatorFlags, partial: toggle(), yes: toggle() },
  run: ({ entry: id, user, reason, actor, partial, yes }, context) =>
    withAccounts(context, async ({ service, zone, callOf }) => {
      const call = await callOf(user);
      const { findEntries } = await import("../../../admin/search-ledgers.ts");
      const [found, ...others] = await findEntries(service, id, () => undefined, refuse, user);
      if (found === undefined) throw new CommandFailure(EXIT.notFound, `${id} was not found in the ledger of ${user}.`);
      if (others.length > 0)
        throw new UsageError(`${others.length + 1} entries match ${id}: give a number, as entry:${found.entry.id}.`);
      const { id: entry, delta, description } = found.entry;
      const { balance } = (await service.userStates.of(user)).ledger.account;
      const about = `Reverse entry ${entry} (${description}) of ${user}, who has ${balance} points: ${delta < 0 ? "+" : ""}${-delta}?`;
      await confirmUnlessYes(context, yes, about);
      const advice = partial ? "" : " Take what is left with --partial.";
      await printPosted(context, service.reverse({ ...call, user, entry, reason, actor, partial }), zone, advice);
    }),
});

/** Prints a posted entry. A refusal gets advice for operators; that of the error catalogue is for users.
 * @param tooFew the advice if the user has too few points */
async function printPosted(context: Context, posting: Promise<PostResult>, zone: string, tooFew = ""): Promise<void> {
  const posted = await posting.catch((error: unknown) => {
    if (!(error instanceof AnpError) || (error.code !== 1005 && error.code !== 1009)) throw error;
    throw new CommandFailure(ERRORS[error.code].exit, `${error.message}${error.code === 1005 ? tooFew : ""}`);
  });
  reportReplay(context, posted);
  const { id: entry_id, user_id, delta, account, description, created_at } = posted.entry;
  const adjusted = { balance_after: account.balance, ...adjustmentOf(posted.entry), description, created_at };
  await printRecord(context, { user_id, entry_id, delta, ...adjusted }, { created_at: showTimeIn(zone) });
}

export const command = defineGroup("points", { adjust, reverse });
