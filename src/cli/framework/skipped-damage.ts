import { CommandFailure, type ExitCode } from "./command-failure.ts";

const SHOWN = 20;

/** Damage that a command left out: it is reported at the end, when the rest was done. */
export class SkippedDamage {
  readonly #messages: string[] = [];
  #count = 0;

  readonly add = (damage: Error | string): void => {
    this.#count += 1;
    if (this.#count <= SHOWN) this.#messages.push(typeof damage === "string" ? damage : damage.message);
  };

  /** The damage below a headline; empty when there is none. */
  lines(headline: (count: number) => string): string[] {
    if (this.#count === 0) return [];
    const more = this.#count > SHOWN ? [`And ${this.#count - SHOWN} more.`] : [];
    return [headline(this.#count), ...this.#messages, ...more];
  }

  /** @throws CommandFailure with the lines, if there are any */
  fail(exit: ExitCode, headline: (count: number) => string): void {
    if (this.#count > 0) throw new CommandFailure(exit, this.lines(headline).join("\n"));
  }
}
