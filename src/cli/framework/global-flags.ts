import type { Command } from "commander";
import type { Env } from "./command-io.ts";
import { UsageError } from "./exit.ts";
import { flagOf, asSentence, instant, oneOf } from "./param.ts";
import GLOBAL_FLAGS from "./global-flags.json" with { type: "json" };
import { packageFile } from "../../runtime/package-file.ts";

/** How data is printed. */
export const FORMATS = ["table", "tsv", "json", "jsonl", "csv"] as const;

export type Format = (typeof FORMATS)[number];

/** The flags that every command has. */
export interface Globals extends Readonly<Partial<Record<(typeof TEXTS)[number], string>>> {
  /** Milliseconds since the epoch. */
  readonly now?: number;
  /** Absent where the terminal decides. */
  readonly format?: Format;
  readonly color: boolean;
  readonly input: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** Where a command line is run. */
export interface Surroundings {
  readonly globals: Globals;
  readonly env: Env;
  /** The working directory, which relative paths start from. */
  readonly cwd: string;
}

const DEMO = packageFile("fixtures/demo/").pathname;

/** Declares the flags of every command on the program. */
export function declareGlobals(program: Command): void {
  for (const [group, options] of Object.entries(GLOBAL_FLAGS)) {
    program.optionsGroup(group);
    for (const [flag, about] of Object.entries(options)) program.option(flag, about);
  }
}

const TEXTS = ["storage", "storageId", "config", "url", "token", "profile", "fixtures", "seed"] as const;

const LOCAL = ["storage", "storageId", "demo", "fixtures", "config", "now", "seed"] as const;

const EXCLUSIVE: readonly (readonly [string, string])[] = [
  ["demo", "fixtures"],
  ["demo", "config"],
  ["fixtures", "config"],
  ["url", "profile"],
  ...["url", "profile"].flatMap((daemon) => LOCAL.map((local): [string, string] => [daemon, local])),
];

/** @throws UsageError that names each invalid flag */
export function readGlobals(program: Command, env: Env): Globals {
  const raw = program.opts<Readonly<Record<string, string | boolean | undefined>>>();
  const errors = EXCLUSIVE.filter((flags) => flags.every((flag) => raw[flag] !== undefined)).map(
    ([one, other]) => `${flagOf(one)} and ${flagOf(other)} exclude each other.`,
  );
  const read = <T>(flag: string, reader: (typed: string) => T): T | undefined => {
    const typed = raw[flag];
    if (typeof typed !== "string") return undefined;
    try {
      if (typed === "") throw new RangeError("must not be empty");
      return reader(typed);
    } catch (error) {
      errors.push(`${flagOf(flag)} ${asSentence((error as RangeError).message)}`);
      return undefined;
    }
  };
  const named = read("format", oneOf(...FORMATS));
  const asJson = raw["json"] === true;
  if (asJson && raw["format"] !== undefined && raw["format"] !== "json") {
    errors.push("--json and --format exclude each other.");
  }
  const values = {
    ...Object.fromEntries(TEXTS.map((flag) => [flag, read(flag, (typed) => typed)])),
    ...(raw["demo"] === true && { fixtures: DEMO }),
    now: read("now", instant),
    format: asJson ? "json" : named,
  };
  if (errors.length > 0) throw new UsageError(errors);
  return {
    ...(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Globals>),
    color: raw["color"] !== false,
    input: raw["input"] !== false,
    quiet: raw["quiet"] === true,
    verbose: raw["verbose"] === true || (env["ANP_DEBUG"] ?? "") !== "",
  };
}
