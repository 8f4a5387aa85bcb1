import { defineCommand, defineGroup } from "../../framework/command.ts";
import { printTable } from "../../terminal/print.ts";

const textOf = (value: unknown) => (value === null || typeof value === "string" ? value : JSON.stringify(value));

const show = defineCommand("config show", {
  async run(_values, context) {
    const { openConfig } = await import("../../target/open-config.ts");
    const { configRows } = await import("../../../config/load-config.ts");
    const cells = { value: { of: ({ value }: { readonly value: unknown }) => textOf(value) } };
    await printTable(context, { table: "configuration", rows: configRows(await openConfig(context)), cells });
  },
});

const schema = defineCommand("config schema", {
  async run(_values, { terminal, globals }) {
    const { configJsonSchema, exampleConfig } = await import("../../../config/config-schema.ts");
    const isJson = globals.format === "json";
    await terminal.write(isJson ? `${JSON.stringify(configJsonSchema(), null, 2)}\n` : exampleConfig());
  },
});

export const command = defineGroup("config", { show, schema });
