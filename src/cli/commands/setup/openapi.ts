import { defineCommand } from "../../framework/command.ts";

export const command = defineCommand("openapi", {
  async run(_values, { terminal }) {
    await terminal.write((await import("../../../contract/openapi/openapi-document.ts")).openApiText());
  },
});
