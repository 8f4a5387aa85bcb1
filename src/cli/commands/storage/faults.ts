import { CommandFailure, EXIT } from "../../exit.ts";

const NAMED = 20;

/** Collects the items that streams lack in their midst. */
export function createGaps(): { readonly note: (key: string) => void; readonly tell: () => void } {
  const keys: string[] = [];
  let count = 0;
  return {
    note(key) {
      count += 1;
      if (keys.length < NAMED) keys.push(key);
    },
    /** @throws CommandFailure when there are any */
    tell() {
      if (count === 0) return;
      const named = keys.map((key) => `${key} is missing while a later item is there.`);
      const more = count > keys.length ? [`And ${count - keys.length} more.`] : [];
      const lines = ["Everything came along, but the storage it comes from is damaged.", ...named, ...more];
      throw new CommandFailure(EXIT.failure, lines.join("\n"));
    },
  };
}
