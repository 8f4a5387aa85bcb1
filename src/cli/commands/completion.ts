import { completionScript, SHELLS } from "../completion/completion-script.ts";
import { defineCommand } from "../framework/define-command.ts";
import { required } from "../framework/param.ts";
import { oneOf } from "../framework/value-readers.ts";

export const command = defineCommand({
  arguments: { shell: required("SHELL", SHELLS.join(", "), oneOf(...SHELLS)) },
  target: "none",
  async run({ shell }, { terminal }) {
    await terminal.write(await completionScript(shell));
  },
});
