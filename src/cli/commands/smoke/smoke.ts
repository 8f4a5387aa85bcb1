import { defineCommand, type Definition } from "../../framework/define-command.ts";
import { UsageError } from "../../framework/exit.ts";
import { integer, oneOf, optional, required, several, text, toggle, type Param } from "../../framework/param.ts";

/** May be left out with --schema only. */
const files: Param<readonly string[]> = {
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

const run = defineCommand({
  arguments: { files },
  options: {
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
  },
  target: "none",
  formats: ["json"],
  async run(values, context) {
    if (values.schema) {
      const { smokeFileSchema } = await import("../../../smoke/file/smoke-json-schema.ts");
      await context.terminal.write(`${JSON.stringify(smokeFileSchema(), null, 2)}\n`);
      return;
    }
    if (values.files.length === 0) throw new UsageError("FILE is missing: a smoke file, or a folder of them.");
    const { runSmoke } = await import("./run-smoke.ts");
    await runSmoke(values, context);
  },
});

const record = defineCommand({
  summary: "Record calls as a smoke file",
  options: {
    out: required("file", "the smoke file to write", text(4096), "file"),
    count: optional("n", "end after so many calls, 1 to 1000; otherwise Ctrl-C ends it", integer(1, 1000)),
    exact: toggle("record answers that have to come back byte for byte, headers included; not with --url"),
    port: optional("n", "port of the loopback interface to listen on, 0 for a free one", integer(0, 65_535)),
    force: toggle("replace the file if it exists"),
  },
  target: "none",
  async run(values, context) {
    const { recordCalls } = await import("./record-calls.ts");
    await recordCalls(values, context);
  },
});

/** `anp smoke FILE...`, and its verbs; a file of such a name is written as ./record. */
export const command: Definition = {
  ...run,
  commands: { record },
  fallback: run,
  fill(command, wiring) {
    run.fill(command, wiring);
    record.fill(command.command("record").summary(record.summary), wiring);
  },
};
