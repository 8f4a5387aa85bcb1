import { setImmediate } from "node:timers/promises";
import { type Message, MAX_MISSING } from "../../assistant/sessions/messages.ts";
import type { Config } from "../../config/config-schema.ts";
import type { OpenLedger } from "../../ledger/user-ledger.ts";
import { BoundedLru } from "../../runtime/cache/bounded-lru.ts";
import { type Clock, DAY_MS } from "../../runtime/clock.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { idTime } from "../../runtime/ids.ts";
import type { ReportDamage } from "../../storage/health/damage-reporter.ts";
import { catchDamage } from "../../storage/storage.ts";
import { type DeliveryDeps, recordQuestion } from "./delivery.ts";

export type RepairDeps = DeliveryDeps & Readonly<{ config: Config; clock: Clock; reportDamage: ReportDamage }>;

const REMEMBERED = 20_000; // Users whose records are known to be complete.
const LATE_MS = 60_000; // Age of an answer, ms, from which on missing writes mean that its writer has died.

/** Writes the events and turns of answers whose process died between the charge and the writes after the reply. The
 * user's last entries name the charged answers; one without a turn may lack its event, too. */
export function createAnswerRepair(deps: RepairDeps) {
  const { config, messages, events, clock, logger, reportDamage } = deps;
  const complete = new BoundedLru<true>(REMEMBERED);
  const keptEvents_ms = (config.retention.events_days ?? Infinity) * DAY_MS;
  /** An answer of an earlier build lacks the fields of its event, and events older than the retention are not kept. */
  const hasEvent = ({ outcome, message_id }: Message): boolean =>
    outcome !== undefined && idTime(message_id) > clock.now() - keptEvents_ms;

  async function repair(user: string, ledger: OpenLedger): Promise<boolean> {
    await setImmediate(); // The question itself goes first.
    const { entries } = await ledger.page(1, MAX_MISSING);
    const charged = entries.flatMap(({ details }) => (details.type === "chat_cost" ? [details] : [])).reverse();
    const left: Message[] = [];
    let isComplete = true;
    for (const [session, answers] of groupBy(charged, ({ session_id }) => session_id)) {
      const ids = answers.map(({ message_id }) => message_id);
      for (const id of await messages.missing(user, session, ids)) {
        const isLate = idTime(id) < clock.now() - LATE_MS;
        isComplete &&= isLate;
        const message = isLate ? await catchDamage(messages.get(id), (damage) => void reportDamage(damage)) : undefined;
        if (message !== undefined && message.question !== "") left.push(message); // Unless erased.
      }
    }
    // One search of the log finds the events that exist.
    await Promise.all(left.filter(hasEvent).map((one) => recordQuestion(events, one, { since: 0, again: true })));
    const how = { generation: ledger.end.generation, among: MAX_MISSING };
    for (const one of left) await messages.join(one, undefined, how);
    return isComplete;
  }

  const again = (user: string): void => void complete.delete(user);
  return {
    again, // Checks a user again, since a write failed.
    /** Checks each user's ledger once, and again while the writer of an answer without a turn may be alive. */
    check(user: string, ledger: OpenLedger): void {
      if (complete.has(user)) return;
      complete.set(user, true);
      const failed = (error: unknown): void => {
        again(user);
        logger.warn({ err: error, user_id: user }, "what a process left out is not repaired yet");
      };
      void messages.follow(repair(user, ledger).then((isComplete) => (isComplete ? undefined : again(user)), failed));
    },
  };
}
