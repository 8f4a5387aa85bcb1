import { defineCommand } from "../framework/define-command.ts";

export const openapi = defineCommand({
  name: "openapi",
  summary: "Print the OpenAPI 3.1 document of the HTTP API",
  arguments: {},
  options: {},
  examples: ["openapi > openapi.json"],
  target: "none",
  formats: ["json"],
  async run(_values, { terminal }) {
    const { openApiText } = await import("../../contract/openapi.ts");
    await terminal.write(openApiText());
  },
});
