import { open } from "node:fs/promises";
import type { RejectedLine } from "../../../events/replay/replay-lines.ts";
import { UsageError } from "../../framework/exit.ts";

/** Where rejected lines are written, each as one line of JSON. */
export interface Rejects {
  readonly write: (rejected: RejectedLine & { readonly text?: string }) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Opens the file for rejected lines, if there is to be one.
 *
 * @param more adds to what an earlier run wrote
 * @throws UsageError when it cannot be written
 */
export async function openRejects(file: string | undefined, more: boolean): Promise<Rejects | undefined> {
  if (file === undefined) return undefined;
  try {
    const handle = await open(file, more ? "a" : "w");
    return {
      async write({ line, reason, text }) {
        await handle.appendFile(`${JSON.stringify({ line, reason, ...(text !== undefined && { text }) })}\n`);
      },
      close: () => handle.close(),
    };
  } catch (error) {
    throw new UsageError(`--rejected ${file} cannot be written: ${(error as Error).message}.`);
  }
}
