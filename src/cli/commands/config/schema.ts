import { defineCommand } from "../../framework/define-command.ts";

export const schema = defineCommand({
  name: "schema",
  summary: "Print a complete configuration file with every key explained",
  description:
    "Print a complete configuration file in YAML with every key, its meaning, bounds, default and environment variable. " +
    "Unchanged, it sets the defaults. With --json, print the JSON Schema for editors.",
  arguments: {},
  options: {},
  examples: ["config schema > anp.yaml", "config schema --json > anp.schema.json"],
  target: "none",
  formats: ["json"],
  async run(_values, { terminal, globals }) {
    if (globals.format === "json") {
      const { configJsonSchema } = await import("../../../config/config-json-schema.ts");
      await terminal.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
      return;
    }
    const { exampleConfig } = await import("../../../config/config-example.ts");
    await terminal.write(exampleConfig());
  },
});
