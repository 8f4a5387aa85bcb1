import { readFile } from "node:fs/promises";
import { defineCommand } from "../../framework/command.ts";
import { required, oneOf } from "../../params/param.ts";

export const command = defineCommand("completion", {
  // Words can be completed in bash 4, zsh and fish 3, or newer.
  arguments: { shell: required(oneOf("bash", "zsh", "fish")) },
  async run({ shell }, { terminal }) {
    await terminal.write(await readFile(new URL(`completion.${shell}`, import.meta.url), "utf8"));
  },
});
