import { integer, oneOf, optional, required, several, text, toggle } from "../../framework/param.ts";
import type { Param, Values } from "../../framework/param.ts";

/** May be left out with --schema only. */
export const FILES: Param<readonly string[]> = {
  ...several("FILE", "smoke file, FILE:LINE for the step at a line, or a folder of smoke files", text(4096)),
  missing: () => [],
  holds: "file",
};

/** Words between commas. */
function listed(typed: string): readonly string[] {
  const words = typed.split(",").map((word) => word.trim());
  if (words.every((word) => /^!?[\w.-]+$/.test(word))) return words;
  throw new RangeError("must be tags between commas, such as smoke,!slow");
}

/** The flags of `anp smoke`. */
export const RUN_OPTIONS = {
  report: optional("kind", "human (on a terminal), tap (in a pipe) or junit", oneOf("human", "tap", "junit")),
  junit: optional("file", "also write a JUnit report to this file", text(4096), "file"),
  update: toggle("write the snapshots that answers are compared with"),
  jobs: optional("n", "files that run at the same time, 1 to 16; 1 with --url or --bail", integer(1, 16)),
  tags: optional("words", "run only steps with one of these tags, and none with !TAG, as smoke,!slow", listed),
  grep: optional("text", "run only steps whose title, request or file name contains the text", text(256)),
  schema: toggle("print the JSON Schema of smoke files and run nothing"),
  bail: toggle("stop the run at the first failed step; cleanup steps still run"),
  allowSkipped: toggle("exit with 0 when every step was skipped"),
  withFaults: toggle("with --url: also run files that ask for faults; start the daemon with them"),
};

/** What is run, and how. */
export type SmokeOptions = Values<typeof RUN_OPTIONS> & { readonly files: readonly string[] };

/** The flags of `anp smoke record`. */
export const RECORD_OPTIONS = {
  out: required("file", "the smoke file to write", text(4096), "file"),
  count: optional("n", "end after so many calls, 1 to 1000; otherwise Ctrl-C ends it", integer(1, 1000)),
  exact: toggle("record answers that have to come back byte for byte, headers included; not with --url"),
  port: optional("n", "port of the loopback interface to listen on, 0 for a free one", integer(0, 65_535)),
  force: toggle("replace the file if it exists"),
};
