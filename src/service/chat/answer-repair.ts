import { setImmediate } from "node:timers/promises";
import { MOST_JOINING } from "../../assistant/sessions/messages.ts";
import type { OpenLedger } from "../../ledger/user-ledger.ts";
import { BoundedLru } from "../../runtime/cache/bounded-lru.ts";
import type { Clock } from "../../runtime/clock.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { idTime } from "../../runtime/ids.ts";
import { type DeliveryDeps, recordQuestion } from "./delivery.ts";

const REMEMBERED = 20_000; // Users of whom it is known that nothing is missing.
/** When what follows a reply is no more on its way, ms: its writer has died. */
const LATE_MS = 60_000;

/** Writes the events and turns that processes left out which died between a charge and what follows its reply. The
 * user's last entries say which answers were charged; one without a turn may lack its event, too.
 * @returns to be called with the ledger of each user that is read; it looks once, and again while an answer without a
 * turn is so recent that its writer may live */
export function createAnswerRepair(deps: DeliveryDeps & { readonly clock: Clock }) {
  const { messages, events, clock, logger } = deps;
  const complete = new BoundedLru<true>(REMEMBERED);

  async function repair(user: string, ledger: OpenLedger): Promise<boolean> {
    await setImmediate(); // What was asked goes first.
    const { entries } = await ledger.page(1, MOST_JOINING);
    const charged = entries.flatMap(({ details }) => (details.type === "chat_cost" ? [details] : [])).reverse();
    let isComplete = true;
    for (const [session, answers] of groupBy(charged, ({ session_id }) => session_id)) {
      const ids = answers.map(({ message_id }) => message_id);
      for (const id of await messages.missing(user, session, ids)) {
        const isLate = idTime(id) < clock.now() - LATE_MS;
        const message = isLate ? await messages.get(id) : undefined;
        isComplete &&= isLate;
        // An answer of an earlier build does not say what its event says.
        if (message?.outcome !== undefined) await recordQuestion(events, message, { since: 0, again: true });
        if (message !== undefined) await messages.join(message);
      }
    }
    return isComplete;
  }

  return (user: string, ledger: OpenLedger): void => {
    if (complete.has(user)) return;
    complete.set(user, true);
    const again = (): void => void complete.delete(user);
    const failed = (error: unknown): void => {
      again();
      logger.error({ err: error, user_id: user }, "what a process left out could not be repaired");
    };
    void messages.follow(repair(user, ledger).then((isComplete) => (isComplete ? undefined : again()), failed));
  };
}
