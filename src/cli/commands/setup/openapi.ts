import { defineCommand } from "../../framework/define-command.ts";

export const command = defineCommand("openapi", {
  async run(_values, { terminal }) {
    const { openApiText } = await import("../../../contract/openapi/openapi-document.ts");
    await terminal.write(openApiText());
  },
});
