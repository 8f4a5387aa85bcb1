import { CommandFailure, EXIT } from "../../framework/exit.ts";

const MOST_LISTED = 20;

/** Damage of a storage that is copied or exported: it is reported at the end, when the rest was written. */
export class SourceDamage {
  readonly #listed: string[] = [];
  #count = 0;

  readonly note = (message: string): void => {
    this.#count += 1;
    if (this.#listed.length < MOST_LISTED) this.#listed.push(message);
  };

  /** @throws CommandFailure when there is any */
  fail(): void {
    if (this.#count === 0) return;
    const more = this.#count - this.#listed.length;
    const lines = ["The source storage is damaged. Everything else was written.", ...this.#listed];
    throw new CommandFailure(EXIT.failure, [...lines, ...(more > 0 ? [`And ${more} more.`] : [])].join("\n"));
  }
}
