import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { z } from "zod";
import { count } from "../../../contract/schemas/shared-fields.ts";
import { replayReport, type ReplayReport } from "../../../events/replay/replay-lines.ts";
import type { Env } from "../../framework/command-io.ts";
import { userFolder, writePrivately } from "../../target/user-folder.ts";
import type { LinePlace } from "./line-source.ts";

const resumePoint = z.strictObject({
  file: z.string(),
  target: z.string(),
  saved_at: z.iso.datetime(),
  place: z.strictObject({ offset: count, line: count, sha256: z.string() }),
  report: replayReport,
});

/** How far an unfinished replay came. */
export type ResumePoint = z.infer<typeof resumePoint>;

/** Where the resume point of one file and one target is stored. */
export type ResumePointFile = ReturnType<typeof resumePointFile>;

/** Stores a resume point in the user's state folder, `~/.local/state/anp/replay/`. Losing it does no harm: a replay
 * from the beginning stores nothing twice.
 * @param file the file's real path
 * @param target what it is replayed into: a storage's URL, or a daemon's and its user */
export function resumePointFile(env: Env, file: string, target: string) {
  const name = createHash("sha256")
    .update(JSON.stringify([file, target]))
    .digest("hex")
    .slice(0, 32);
  const path = userFolder("state", env, "replay", `${name}.json`);
  return {
    /** The point of an earlier run; undefined when none can be read. */
    async read(): Promise<ResumePoint | undefined> {
      let value: unknown;
      try {
        value = JSON.parse(await readFile(path, "utf8"));
      } catch {
        return undefined;
      }
      return resumePoint.safeParse(value).data;
    },
    save(place: LinePlace, report: ReplayReport, now: string): Promise<void> {
      const point: ResumePoint = { file, target, saved_at: now, place, report };
      return writePrivately(path, `${JSON.stringify(point)}\n`);
    },
    remove: () => rm(path, { force: true }),
  };
}
