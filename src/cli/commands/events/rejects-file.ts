import { open } from "node:fs/promises";
import type { RejectedLine } from "../../../events/replay/replay-lines.ts";
import { UsageError } from "../../framework/exit.ts";

/** A file of rejected lines, each as one line of JSON. */
export interface RejectsFile {
  readonly write: (rejected: RejectedLine & { readonly text?: string }) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Opens the file for rejected lines, if one is wanted.
 *
 * @param append keeps what an earlier run wrote
 * @throws UsageError when it cannot be written
 */
export async function openRejectsFile(file: string | undefined, append: boolean): Promise<RejectsFile | undefined> {
  if (file === undefined) return undefined;
  try {
    const handle = await open(file, append ? "a" : "w");
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
