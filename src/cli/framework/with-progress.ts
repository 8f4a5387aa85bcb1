import { awaitInterrupt } from "../../runtime/interrupt.ts";
import type { Context } from "./command-context.ts";
import { CommandFailure, EXIT, type ExitCode } from "./command-failure.ts";
import { showCount } from "./time-format.ts";

/** Shows progress, as `3 of 9 users read`, on a terminal; after an interrupt, throws its reason to end the work. */
export type ReportProgress = (show: (spent_ms: number) => string) => void;

const SHOW_MS = 100; // The shortest time between two lines of progress, ms.
const BATCH_LINES = 100; // Lines of an export that are written at once.

/** Runs long work. After Ctrl-C it ends at its next progress report.
 * @param advice text after the progress in the message of an interrupt
 * @throws CommandFailure with the exit code 130 when it was interrupted */
export async function withProgress<T>(
  { io, terminal }: Pick<Context, "io" | "terminal">,
  advice: string | (() => string),
  work: (report: ReportProgress) => Promise<T>,
): Promise<T> {
  const { signal, forget } = awaitInterrupt(io);
  const began = performance.now();
  const spent = (): number => performance.now() - began;
  let place: Parameters<ReportProgress>[0] = () => "at the beginning";
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
    const hint = typeof advice === "string" ? advice : advice();
    throw new CommandFailure(EXIT.interrupted, `Interrupted: ${place(spent())}. ${hint}`);
  } finally {
    terminal.progress("");
    forget();
  }
}

/** Advice after an incomplete export. */
export const INCOMPLETE = "What was written is incomplete, and no import takes it: run the export again.";

/** Reports counts as progress. @param what the name of what is counted, as `users read` */
export const countTo = (report: ReportProgress, what: string) => (done: number, all?: number) =>
  report((spent_ms) => showCount(what, done, all, spent_ms));

/** Passes items on and reports their count as progress. @param what their name, as `values` */
export async function* countItems<T>(items: AsyncIterable<T>, report: ReportProgress, what: string): AsyncGenerator<T> {
  const onCount = countTo(report, what);
  let count = 0;
  for await (const item of items) {
    yield item;
    onCount((count += 1));
  }
}

/** Prints lines as they come; false when stdout was closed before the last one. @param what the name of the lines */
export const printLines = (context: Context, advice: string, lines: AsyncIterable<string>, what: string) =>
  withProgress(context, advice, async (report) => {
    const { batchesOf } = await import("../../runtime/batches.ts"); // Loaded on demand, as all code for storages.
    for await (const batch of batchesOf(countItems(lines, report, what), BATCH_LINES))
      if (!(await context.terminal.write(`${batch.join("\n")}\n`))) return false;
    return true;
  });

const SHOWN = 20;

/** Damage that a command skipped, to be reported after the rest is done. */
export class SkippedDamage {
  readonly #messages: string[] = [];
  count = 0;

  readonly add = (damage: Error | string): void => {
    const message = typeof damage === "string" ? damage : damage.message;
    if (this.#messages.includes(message)) return; // It was found in two ways.
    this.count += 1;
    if (this.count <= SHOWN) this.#messages.push(message);
  };

  /** The damage below a headline; empty when there is none. */
  lines(headline: string): string[] {
    if (this.count === 0) return [];
    const more = this.count > SHOWN ? [`And ${this.count - SHOWN} more.`] : [];
    return [headline, ...this.#messages, ...more];
  }

  /** @throws CommandFailure with the lines, if there are any */
  fail(exit: ExitCode, headline: string): void {
    if (this.count > 0) throw new CommandFailure(exit, this.lines(headline).join("\n"));
  }
}
