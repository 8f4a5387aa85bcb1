import type { Funds } from "../user-state.ts";

/** The reservation of an answer that this process is working on. */
export type PendingAnswer = Awaited<ReturnType<PendingAnswers["begin"]>>;

interface Held {
  readonly operation: string;
  readonly over: Promise<void>;
  reserved: Funds;
}

const NOTHING: Funds = { free: 0, points: 0 };

/**
 * The answers in flight of each user, and what is set aside for them, so that this process does not call a model for
 * more answers than can be charged. Nothing of it is stored: the charge itself decides, and a crash leaves nothing
 * behind.
 */
export class PendingAnswers {
  readonly #byUser = new Map<string, Set<Held>>();

  /** Begins an answer. A repeat of a question in flight waits for that answer instead of asking for another. */
  async begin(user: string, operation: string) {
    for (let first = this.#find(user, operation); first !== undefined; first = this.#find(user, operation)) {
      await first.over;
    }
    let settle = (): void => undefined;
    const over = new Promise<void>((resolve) => (settle = resolve));
    const held: Held = { operation, over, reserved: NOTHING };
    this.#byUser.set(user, (this.#byUser.get(user) ?? new Set()).add(held));
    return {
      /**
       * Sets aside a free use or `cost` points, instead of what this answer had before; nothing, and false, when the user
       * has too little of both besides what is set aside for other answers.
       */
      reserve: (funds: Funds, cost: number) => this.#reserve(user, held, funds, cost),
      /** Gives back what was set aside. */
      release: () => void (held.reserved = NOTHING),
      /** The answer is over, however it ended. */
      end: (): void => {
        this.#remove(user, held);
        settle();
      },
    };
  }

  #find(user: string, operation: string): Held | undefined {
    return [...(this.#byUser.get(user) ?? [])].find((held) => held.operation === operation);
  }

  #reserve(user: string, held: Held, funds: Funds, cost: number): boolean {
    held.reserved = NOTHING;
    if (cost === 0) return true;
    let { free, points } = funds;
    for (const { reserved } of this.#byUser.get(user)!) {
      free -= reserved.free;
      points -= reserved.points;
    }
    if (free <= 0 && points < cost) return false;
    held.reserved = free > 0 ? { free: 1, points: 0 } : { free: 0, points: cost };
    return true;
  }

  #remove(user: string, held: Held): void {
    const all = this.#byUser.get(user)!;
    all.delete(held);
    if (all.size === 0) this.#byUser.delete(user);
  }
}
