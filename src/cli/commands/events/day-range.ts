import { EXIT, UsageError } from "../../framework/exit.ts";
import { LeftOut } from "../../framework/left-out.ts";
import { optional, type Values, day } from "../../framework/param.ts";

/** The flags of a range of UTC days. */
export const dayRangeFlags = {
  from: optional("day", "first UTC day, as 2026-11-20", day),
  to: optional("day", "last UTC day, included", day),
};

/**
 * Reads the events of a range, without the batches that are damaged.
 *
 * @throws UsageError when the range ends before it starts
 * @throws CommandFailure when batches were left out, after the others were read
 */
export async function inDayRange(
  { from, to }: Values<typeof dayRangeFlags>,
  read: (onDamage: (error: Error) => void) => Promise<void>,
): Promise<void> {
  if (from !== undefined && to !== undefined && from > to) throw new UsageError("--from must not be after --to.");
  const skipped = new LeftOut();
  await read(skipped.add);
  skipped.fail(EXIT.partial, (count) => `${count} damaged batches of events were left out:`);
}
