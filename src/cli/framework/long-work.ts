import { awaitInterrupt } from "../../runtime/interrupt.ts";
import type { Context } from "./command-context.ts";
import { CommandFailure, EXIT, type ExitCode } from "./command-failure.ts";
import { showCount } from "./time-format.ts";

/** Reports how far work is, as `3 of 9 users read`, for a terminal; after an interrupt, throws its reason to end it. */
export type ReportPlace = (show: (spent_ms: number) => string) => void;

const SHOW_MS = 100; // The shortest time between two lines of progress, ms.
const BATCH_LINES = 100; // Lines of an export that are written at once.

/** Runs work that may take long. At Ctrl-C it ends where it next reports its place.
 * @param advice a sentence or more, after how far the work is
 * @throws CommandFailure with the exit code 130 when it was interrupted
 * @example
 * await longWork(context, "Nothing was changed.", async (report) => {
 *   for (const [index, user] of users.entries()) report(() => `${index} of ${users.length} users read`);
 * }); */
export async function longWork<T>(
  { io, terminal }: Pick<Context, "io" | "terminal">,
  advice: string | (() => string),
  work: (report: ReportPlace) => Promise<T>,
): Promise<T> {
  const { signal, forget } = awaitInterrupt(io);
  const began = performance.now();
  const spent = (): number => performance.now() - began;
  let place: Parameters<ReportPlace>[0] = () => "at the beginning";
  let nextShown = 0;
  try {
    return await work((show) => {
      place = show;
      signal.throwIfAborted();
      if (spent() < nextShown) return;
      terminal.progress(show(spent()));
      nextShown = spent() + SHOW_MS;
    });
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    const howToGoOn = typeof advice === "string" ? advice : advice();
    throw new CommandFailure(EXIT.interrupted, `Interrupted: ${place(spent())}. ${howToGoOn}`);
  } finally {
    terminal.progress("");
    forget();
  }
}

/** How to go on after a part of an export. */
export const INCOMPLETE = "What was written is incomplete, and no import takes it: run the export again.";

/** Reports how many of how many are done. @param what their name, as `users read` */
export const countTo = (report: ReportPlace, what: string) => (done: number, all?: number) =>
  report((spent_ms) => showCount(what, done, all, spent_ms));

/** The items as they come; it reports how many there were. @param what their name, as `values` */
export async function* countPassed<T>(items: AsyncIterable<T>, report: ReportPlace, what: string): AsyncGenerator<T> {
  const onCount = countTo(report, what);
  let count = 0;
  for await (const item of items) {
    yield item;
    onCount((count += 1));
  }
}

/** Prints lines as they come; false when stdout was closed before the last of them. @param what the name of a line */
export const printLong = (context: Context, advice: string, lines: AsyncIterable<string>, what: string) =>
  longWork(context, advice, async (report) => {
    const { batchesOf } = await import("../../runtime/batches.ts"); // Loaded on demand, as all that works on a storage.
    for await (const batch of batchesOf(countPassed(lines, report, what), BATCH_LINES))
      if (!(await context.terminal.write(`${batch.join("\n")}\n`))) return false;
    return true;
  });

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
