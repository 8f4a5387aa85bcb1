import { defineCommand } from "../framework/define-command.ts";
import { required } from "../framework/param.ts";
import { oneOf } from "../framework/value-readers.ts";

const SCRIPTS = {
  bash: async () => (await import("../completion/bash-script.ts")).BASH,
  zsh: async () => (await import("../completion/zsh-script.ts")).ZSH,
  fish: async () => (await import("../completion/fish-script.ts")).FISH,
};

const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

export const completion = defineCommand({
  name: "completion",
  summary: "Print the completion script for a shell",
  description:
    "Print the completion script for a shell. It completes commands, flags, their values, files, profiles, and the users " +
    "of the storage that the command line names, and asks this program while you type, so it is never out of date.",
  arguments: { shell: required("SHELL", SHELLS.join(", "), oneOf(...SHELLS)) },
  options: {},
  examples: [
    "completion bash > /etc/bash_completion.d/anp",
    'completion zsh > "${fpath[1]}/_anp"',
    "completion fish > ~/.config/fish/completions/anp.fish",
  ],
  target: "none",
  async run({ shell }, { terminal }) {
    await terminal.write((await SCRIPTS[shell]()).replaceAll("NAME", "anp"));
  },
});
