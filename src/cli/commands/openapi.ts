import { defineCommand } from "../framework/define-command.ts";

export const command = defineCommand({
  target: "none",
  formats: ["json"],
  async run(_values, { terminal }) {
    const { openApiText } = await import("../../contract/openapi.ts");
    await terminal.write(openApiText());
  },
});
