import { defineCommand, UsageError, type Definition } from "../../framework/command.ts";
import { repeatable, text } from "../../params/param.ts";
import { RECORD_OPTIONS, RUN_OPTIONS } from "./smoke-params.ts";

const run = defineCommand("smoke", {
  arguments: { files: { ...repeatable(text(4096)), holds: "file" } },
  options: RUN_OPTIONS,
  async run(values, context) {
    if (values.schema) {
      const { default: json } = await import("../../../smoke/file/smoke-file.schema.json", { with: { type: "json" } });
      return void (await context.terminal.write(`${JSON.stringify(json, null, 2)}\n`));
    }
    if (values.files.length === 0) throw new UsageError("FILE is missing: a smoke file, or a folder of them.");
    await (await import("./run-smoke.ts")).runSmoke(values, context);
  },
});

const record = defineCommand("smoke record", {
  options: RECORD_OPTIONS,
  run: async (values, context) => (await import("./record-calls.ts")).recordCalls(values, context),
});

/** `anp smoke FILE...`, and its verbs; a file of such a name is written as ./record. */
export const command: Definition = { ...run, commands: { record }, fallback: run };
