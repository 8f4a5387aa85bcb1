import { defineCommand } from "../../framework/define-command.ts";
import type { Column } from "../../terminal/column.ts";
import { printRows } from "../../terminal/print.ts";

interface Row {
  readonly key: string;
  readonly value: unknown;
  readonly source: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { name: "key", of: ({ key }) => key },
  { name: "value", of: ({ value }) => asText(value), wide: true },
  { name: "source", of: ({ source }) => source },
];

function asText(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

export const show = defineCommand({
  name: "show",
  summary: "Show every value of the configuration and where it comes from",
  description:
    "Show every value of the configuration and where it comes from: a flag, an environment variable, a file, or the " +
    "default. Secrets are not shown, only whether they are set. Neither storage nor sources are opened.",
  arguments: {},
  options: {},
  examples: ["config show", "config show --config anp.yaml --json"],
  async run(_values, context) {
    const [{ openConfig }, { configRows }] = await Promise.all([
      import("../../target/open-config.ts"),
      import("../../../config/config-rows.ts"),
    ]);
    const loaded = await openConfig(context);
    const rows = configRows(loaded);
    await printRows(context, { data: rows, rows, columns: COLUMNS });
    if (loaded.unknownVariables.length > 0) {
      context.terminal.say(`warning: unknown environment variables: ${loaded.unknownVariables.join(", ")}`);
    }
  },
});
