import { CommandFailure, EXIT } from "../../framework/exit.ts";

const NAMED = 20;

/** Collects what is wrong with a storage that is copied. */
export function createFaults(): { readonly note: (fault: string) => void; readonly tell: () => void } {
  const faults: string[] = [];
  let count = 0;
  return {
    note(fault) {
      count += 1;
      if (faults.length < NAMED) faults.push(fault);
    },
    /** @throws CommandFailure when there is anything */
    tell() {
      if (count === 0) return;
      const more = count > faults.length ? [`And ${count - faults.length} more.`] : [];
      const lines = ["The storage it comes from is damaged. All else came along.", ...faults, ...more];
      throw new CommandFailure(EXIT.failure, lines.join("\n"));
    },
  };
}
