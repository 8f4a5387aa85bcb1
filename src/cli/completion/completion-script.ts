import { readFile } from "node:fs/promises";

/** The shells that words can be completed in: bash 4, zsh and fish 3, or newer. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

export const completionScript = (shell: (typeof SHELLS)[number]): Promise<string> =>
  readFile(new URL(`completion.${shell}`, import.meta.url), "utf8");
