import { completionScript, SHELLS } from "../completion/completion-script.ts";
import { defineCommand } from "../framework/define-command.ts";
import { required, oneOf } from "../framework/param.ts";

export const command = defineCommand({
  arguments: { shell: required("SHELL", SHELLS.join(", "), oneOf(...SHELLS)) },
  target: "none",
  async run({ shell }, { terminal }) {
    await terminal.write(await completionScript(shell));
  },
});
