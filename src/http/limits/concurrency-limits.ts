import { AnpError } from "../../contract/errors.ts";

/** The limit because of which a request was refused with 429. */
export type RefusalReason = "in_flight" | "in_flight_per_user" | "bodies" | "wait" | "rate";
export type OnRefused = ((reason: RefusalReason) => void) | undefined;
/** Limits concurrent requests, in total and per user, so that one caller cannot block the others. */
export type ConcurrencyLimits = ReturnType<typeof createConcurrencyLimits>;

/** The running requests of one user. */
export interface UserSlot {
  readonly user: string;
  running: number;
  receiving: number; // Total size of the bodies being received, bytes.
}

const RECEIVING = { perUser: 4 * 1024 * 1024, all: 128 * 1024 * 1024 }; // Bytes reserved for bodies being received.

type Limits = { in_flight: number; in_flight_per_user: number; refused?: OnRefused };

/** The limits are numbers of requests; 0 means no limit. */
export function createConcurrencyLimits({ in_flight: all, in_flight_per_user: perUser, refused }: Limits) {
  const slots = new Map<string, UserSlot>();
  let running = 0;
  let receiving = 0;
  const refuse = (reason: RefusalReason, message: string): AnpError => {
    refused?.(reason);
    return new AnpError(429, `${message} Try again in a moment.`);
  };
  return {
    /** @throws AnpError 429 when the limit is reached */
    enter(): void {
      if (all > 0 && running >= all) throw refuse("in_flight", "Too many requests are running.");
      running++;
    },
    leave: (): void => void running--,
    /** The slot to pass to `leaveAs`. @throws AnpError 429 when the user's limit is reached */
    enterAs(user: string): UserSlot {
      const slot = slots.get(user) ?? { user, running: 0, receiving: 0 };
      if (perUser > 0 && slot.running >= perUser)
        throw refuse("in_flight_per_user", `More than ${perUser} requests of this user are running.`);
      slots.set(user, slot);
      slot.running++;
      return slot;
    },
    leaveAs(slot: UserSlot): void {
      slot.running--;
      if (slot.running === 0) slots.delete(slot.user);
    },
    /** Reserves bytes for a body. @throws AnpError 429 when they are too many, for this user or in total */
    receive(slot: UserSlot, bytes: number): void {
      const isFirst = slot.receiving === 0;
      if ((!isFirst && slot.receiving + bytes > RECEIVING.perUser) || receiving + bytes > RECEIVING.all)
        throw refuse("bodies", "Too many bodies are waited for.");
      slot.receiving += bytes;
      receiving += bytes;
    },
    received(slot: UserSlot, bytes: number): void {
      slot.receiving -= bytes;
      receiving -= bytes;
    },
    running: () => running,
  };
}
