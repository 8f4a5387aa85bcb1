import { completionScript, SHELLS } from "../../completion/completion-script.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { required, oneOf } from "../../params/param.ts";

export const command = defineCommand("completion", {
  arguments: { shell: required(oneOf(...SHELLS)) },
  async run({ shell }, { terminal }) {
    await terminal.write(await completionScript(shell));
  },
});
