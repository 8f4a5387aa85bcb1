import type { ConfigRow } from "../../config/config-rows.ts";
import { defineCommand, defineGroup } from "../framework/define-command.ts";
import type { Column } from "../terminal/column.ts";
import { printRows } from "../terminal/print.ts";

const COLUMNS: readonly Column<ConfigRow>[] = [
  { name: "key" },
  { name: "value", of: ({ value }) => asText(value), wide: true },
  { name: "source" },
];

function asText(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

const show = defineCommand({
  summary: "Show every value of the configuration and where it comes from",
  async run(_values, context) {
    const { openConfig } = await import("../target/open-config.ts");
    const { configRows } = await import("../../config/config-rows.ts");
    const loaded = await openConfig(context);
    const rows = configRows(loaded);
    await printRows(context, { data: rows, rows, columns: COLUMNS });
    if (loaded.unknownVariables.length > 0) {
      context.terminal.say(`warning: unknown environment variables: ${loaded.unknownVariables.join(", ")}`);
    }
  },
});

const schema = defineCommand({
  summary: "Print a complete configuration file with every key explained",
  target: "none",
  formats: ["json"],
  async run(_values, { terminal, globals }) {
    if (globals.format === "json") {
      const { configJsonSchema } = await import("../../config/config-json-schema.ts");
      await terminal.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
      return;
    }
    const { exampleConfig } = await import("../../config/config-example.ts");
    await terminal.write(exampleConfig());
  },
});

export const command = defineGroup({ show, schema });
