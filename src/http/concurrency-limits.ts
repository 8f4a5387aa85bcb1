import { AnpError } from "../contract/errors.ts";

/** Bounds how many requests run at once, in all and of one user, so that one caller cannot take the daemon from the others. */
export interface ConcurrencyLimits {
  /** @throws AnpError 429 when as many run as may */
  enter(): void;
  leave(): void;
  /**
   * @returns what to leave with
   * @throws AnpError 429 when as many of the user's run as may
   */
  enterAs(user: string): UserSlot;
  leaveAs(slot: UserSlot): void;
  /** How many run now. */
  running(): number;
}

/** The running requests of one user. */
export interface UserSlot {
  readonly user: string;
  running: number;
}

/** Limits: how many may run, 0 for any number. */
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
