import type { configRows } from "../../../config/config-rows.ts";
import { defineCommand, defineGroup } from "../../framework/define-command.ts";
import { columnsOf } from "../../terminal/column.ts";
import { printRows } from "../../terminal/print.ts";

type ConfigRow = ReturnType<typeof configRows>[number];
const COLUMNS = columnsOf<ConfigRow>("key", { name: "value", of: ({ value }) => textOf(value), wide: true }, "source");

const textOf = (value: unknown) => (value === null || typeof value === "string" ? value : JSON.stringify(value));

const show = defineCommand("config show", {
  async run(_values, context) {
    const { openConfig } = await import("../../target/open-config.ts");
    const { configRows } = await import("../../../config/config-rows.ts");
    await printRows(context, { rows: configRows(await openConfig(context)), columns: COLUMNS });
  },
});

const schema = defineCommand("config schema", {
  async run(_values, { terminal, globals }) {
    const { configJsonSchema } = await import("../../../config/config-schema.ts");
    const { exampleConfig } = await import("../../../config/config-example.ts");
    const isJson = globals.format === "json";
    await terminal.write(isJson ? `${JSON.stringify(configJsonSchema(), null, 2)}\n` : exampleConfig());
  },
});

export const command = defineGroup("config", { show, schema });
