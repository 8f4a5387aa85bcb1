import { AnpError } from "../contract/errors.ts";

/** Limits concurrent requests, in total and per user, so that one caller cannot block the others. */
export interface ConcurrencyLimits {
  /** @throws AnpError 429 when the limit is reached */
  enter(): void;
  leave(): void;
  /**
   * @returns the slot to pass to `leaveAs`
   * @throws AnpError 429 when the user's limit is reached
   */
  enterAs(user: string): UserSlot;
  leaveAs(slot: UserSlot): void;
  /** How many requests run now. */
  running(): number;
}

/** The running requests of one user. */
export interface UserSlot {
  readonly user: string;
  running: number;
}

/** The limits are numbers of requests; 0 means no limit. */
export function createConcurrencyLimits({
  all,
  perUser,
}: {
  readonly all: number;
  readonly perUser: number;
}): ConcurrencyLimits {
  const slots = new Map<string, UserSlot>();
  let running = 0;
  return {
    enter() {
      if (all > 0 && running >= all) throw new AnpError(429, "Too many requests are running. Try again in a moment.");
      running++;
    },
    leave() {
      running--;
    },
    enterAs(user) {
      let slot = slots.get(user);
      if (slot === undefined) {
        slot = { user, running: 0 };
        slots.set(user, slot);
      } else if (perUser > 0 && slot.running >= perUser) {
        throw new AnpError(429, `More than ${perUser} requests of this user are running. Try again in a moment.`);
      }
      slot.running++;
      return slot;
    },
    leaveAs(slot) {
      slot.running--;
      if (slot.running === 0) slots.delete(slot.user);
    },
    running: () => running,
  };
}
