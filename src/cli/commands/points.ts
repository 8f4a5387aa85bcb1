import { userInfo } from "node:os";
import { confirmChange, yesFlag } from "../framework/confirm.ts";
import { defineCommand, defineGroup } from "../framework/define-command.ts";
import { knownUser, optional, required, delta, idempotencyKey, text } from "../framework/param.ts";
import { noteReplay, withAccounts } from "../target/operations.ts";
import { printRecord } from "../terminal/print.ts";

const adjust = defineCommand({
  summary: "Give points to a user, or take points away",
  arguments: {
    user: knownUser("USER", "id of the user"),
    delta: required("DELTA", "points to give; negative to take away, as -5", delta),
  },
  options: {
    reason: required("text", "reason, up to 200 characters", text(200)),
    actor: optional("name", "who makes the adjustment; the operating system's user when left out", text(128)),
    idempotencyKey: optional(
      "key",
      "a repeat with the same key, DELTA and reason returns the first result",
      idempotencyKey,
    ),
    yes: yesFlag,
  },
  async run({ user, delta: change, reason, actor = osUser(), idempotencyKey: key, yes }, context) {
    const posted = await withAccounts(context, async ({ service, callOf }) => {
      const call = await callOf(user, key);
      const { balance } = (await service.userStates.of(user)).ledger.account;
      const verb = change > 0 ? `Give ${change} points to` : `Take ${-change} points from`;
      await confirmChange(context, yes, `${verb} ${user}, who has ${balance}?`);
      return service.adjust({ ...call, user, delta: change, reason, actor });
    });
    noteReplay(context, posted);
    const { entry } = posted;
    const { id, description, created_at } = entry;
    await printRecord(context, {
      user_id: user,
      entry_id: id,
      delta: entry.delta,
      balance_after: entry.account.balance,
      reason,
      actor: entry.details.type === "adjust" ? entry.details.actor : actor,
      description,
      created_at,
    });
  },
});

function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user may have no name.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

export const command = defineGroup({ adjust });
