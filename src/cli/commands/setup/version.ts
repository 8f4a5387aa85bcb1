import { versions } from "../../../runtime/package-file.ts";
import { defineCommand } from "../../framework/command.ts";
import { printRecord } from "../../terminal/print.ts";

export const command = defineCommand("version", {
  run: async (_values, context) => void (await printRecord(context, versions())),
});
