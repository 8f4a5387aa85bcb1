/** What a user can still pay with: free uses, then points. */
export interface Funds {
  readonly free: number;
  readonly points: number;
}

/**
 * Admits answers in flight against what their user can pay, so that this process does not call a model for more answers
 * than can be charged. It holds nothing in the storage: the charge itself decides, and a crash leaves nothing behind.
 */
export interface Admission {
  /**
   * Asks for one answer at `cost` points.
   *
   * @returns the way to leave (once: again does nothing), or undefined when everything the user has is spoken for
   */
  enter(user: string, means: Funds, cost: number): (() => void) | undefined;
}

export function createAdmission(): Admission {
  const inFlight = new Map<string, { free: number; points: number; count: number }>();
  return {
    enter(user, means, cost) {
      const now = inFlight.get(user) ?? { free: 0, points: 0, count: 0 };
      const free = means.free > now.free;
      if (!free && means.points - now.points < cost) return undefined;
      const taken = free ? { free: 1, points: 0 } : { free: 0, points: cost };
      inFlight.set(user, { free: now.free + taken.free, points: now.points + taken.points, count: now.count + 1 });
      let left = false;
      return () => {
        if (left) return;
        left = true;
        const held = inFlight.get(user)!;
        if (held.count === 1) inFlight.delete(user);
        else
          inFlight.set(user, {
            free: held.free - taken.free,
            points: held.points - taken.points,
            count: held.count - 1,
          });
      };
    },
  };
}
