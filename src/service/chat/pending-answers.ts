import type { Funds } from "../user-state.ts";

/** The reservation of an answer that this process is working on. */
export type PendingAnswer = ReturnType<ReturnType<typeof createPendingAnswers>>;
const NOTHING: Funds = { free: 0, points: 0 };

/** What is set aside for the answers in flight of each user, so that this process does not call a model for more answers
 * than can be charged. Nothing of it is stored: the charge itself decides, and a crash leaves nothing behind.
 * @returns begins an answer of a user */
export function createPendingAnswers() {
  const byUser = new Map<string, Set<{ reserved: Funds }>>();
  return (user: string) => {
    const mine = { reserved: NOTHING };
    const all = byUser.get(user) ?? new Set();
    byUser.set(user, all.add(mine));
    return {
      /** Sets aside a free use or `cost` points, instead of what this answer had before; nothing, and false, when the
       * user has too little of both besides what is set aside for other answers. */
      reserve: (funds: Funds, cost: number): boolean => {
        mine.reserved = NOTHING;
        if (cost === 0) return true;
        let { free, points } = funds;
        for (const { reserved } of all) {
          free -= reserved.free;
          points -= reserved.points;
        }
        if (free <= 0 && points < cost) return false;
        mine.reserved = free > 0 ? { free: 1, points: 0 } : { free: 0, points: cost };
        return true;
      },
      release: () => void (mine.reserved = NOTHING),
      end: (): void => {
        all.delete(mine);
        if (all.size === 0) byUser.delete(user);
      },
    };
  };
}
