import { readFile, rm } from "node:fs/promises";
import { z } from "zod";
import { count } from "../../../contract/schemas/shared-fields.ts";
import { replayReport } from "../../../events/replay/replay-lines.ts";
import { sha256 } from "../../../runtime/json/canonical-json.ts";
import { parseJson } from "../../../runtime/json/parse-json.ts";
import type { Env } from "../../framework/command-io.ts";
import { replaceFile } from "../../../storage/fs/durable-files.ts";
import { userFolder } from "../../target/user-folder.ts";

const resumePoint = z.object({
  place: z.strictObject({ offset: count, line: count, sha256: z.string() }), // `sha256` is that of the bytes before it.
  report: replayReport,
});

/** How far an unfinished replay came. */
type ResumePoint = z.infer<typeof resumePoint>;
/** Where the resume point of one file and one target is stored. */
export type ResumePointFile = ReturnType<typeof resumePointFile>;

/** Stores a resume point in the user's state folder, `~/.local/state/anp/replay/`. Losing it does no harm: a replay
 * from the beginning stores nothing twice.
 * @param file the file's real path
 * @param target what it is replayed into: a storage's URL, or a daemon's and its user */
export function resumePointFile(env: Env, file: string, target: string) {
  const path = userFolder("state", env, "replay", `${sha256(JSON.stringify([file, target])).slice(0, 32)}.json`);
  return {
    /** The point of an earlier run; undefined when none can be read. */
    read: async () => resumePoint.safeParse(parseJson(await readFile(path, "utf8").catch(() => ""))).data,
    save: (point: ResumePoint) => replaceFile(path, `${JSON.stringify(point)}\n`),
    remove: () => rm(path, { force: true }),
  };
}
