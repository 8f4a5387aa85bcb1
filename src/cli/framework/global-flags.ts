import type { Command } from "commander";
import type { CommandIo, Env } from "./command-io.ts";
import { UsageError } from "./command-failure.ts";
import { flagOf, asSentence, instant, oneOf, type Reader } from "../params/param.ts";
import EXCLUSIVE from "./exclusive-flags.json" with { type: "json" };
import GLOBAL_FLAGS from "./global-flags.json" with { type: "json" };
import { DEMO } from "../../runtime/package-file.ts";

/** How data is printed. */
export const FORMATS = ["table", "tsv", "json", "jsonl", "csv"] as const;
export type Format = (typeof FORMATS)[number];

type TextFlag = "url" | "token" | "profile" | "storage" | "storageId" | "fixtures" | "config" | "seed";

/** The flags that every command has. */
export interface Globals extends Readonly<Partial<Record<TextFlag, string>>> {
  readonly now?: number; // Milliseconds since the epoch.
  readonly format?: Format; // By default it depends on the terminal.
  readonly color: boolean;
  readonly input: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** Where a command line is run. */
export type CommandEnv = Pick<CommandIo, "env" | "cwd"> & { readonly globals: Globals };

export function declareGlobals(program: Command): void {
  for (const [group, options] of Object.entries(GLOBAL_FLAGS)) {
    program.optionsGroup(group);
    for (const [flag, about] of Object.entries(options)) program.option(flag, about);
  }
}

const READERS: Readonly<Record<string, Reader<unknown>>> = { now: instant, format: oneOf(...FORMATS) };

/** @throws UsageError that names each invalid flag */
export function readGlobals(program: Command, env: Env): Globals {
  const raw = program.opts<Readonly<Record<string, string | boolean>>>();
  const clashes = EXCLUSIVE.filter((flags) => flags.every((flag) => raw[flag] !== undefined));
  const errors = clashes.map(([one, other]) => `${flagOf(one!)} and ${flagOf(other!)} exclude each other.`);
  const values: Record<string, unknown> = {};
  for (const [flag, typed] of Object.entries(raw)) {
    try {
      if (typed === "") throw new RangeError("must not be empty");
      values[flag] = typeof typed === "string" && flag in READERS ? READERS[flag]!(typed) : typed;
    } catch (error) {
      errors.push(`${flagOf(flag)} ${asSentence((error as RangeError).message)}`);
    }
  }
  const { json = false, demo = false, format = "json" } = raw;
  if (json && format !== "json") errors.push("--json and --format exclude each other.");
  if (errors.length > 0) throw new UsageError(errors);
  return {
    ...(values as Partial<Globals> & Pick<Globals, "color" | "input">),
    ...(demo && { fixtures: DEMO }),
    ...(json && { format: "json" }),
    quiet: raw["quiet"] === true,
    verbose: raw["verbose"] === true || (env["ANP_DEBUG"] ?? "") !== "",
  };
}
