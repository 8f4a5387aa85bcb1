import type { Command } from "commander";
import type { Env } from "./environment.ts";
import { UsageError } from "./exit.ts";
import type { Held } from "./param.ts";
import { asSentence, instant, oneOf } from "./value-readers.ts";
import { packageFile } from "../../runtime/package-file.ts";

/** How data is printed. */
export const FORMATS = ["table", "tsv", "json", "jsonl", "csv"] as const;

export type Format = (typeof FORMATS)[number];

/** What each format is. */
export const FORMAT_MEANINGS: Readonly<Record<Format, string>> = {
  table: "the default on a terminal: aligned columns, also of wide characters, cut to the terminal's width",
  tsv: "the default in a pipe: a line of column names, then one line per row",
  json: "one document; --json is short for it",
  jsonl: "one JSON object per line",
  csv: "RFC 4180 quoting, lines that end in a line feed",
};

/** The flags that every command has. */
export interface Globals {
  readonly storage?: string;
  readonly config?: string;
  /** Address of a daemon to work on instead of a storage. */
  readonly url?: string;
  readonly token?: string;
  /** Name of a profile: a daemon's address and a token. */
  readonly profile?: string;
  /** Folder of a fixture. */
  readonly fixtures?: string;
  /** Milliseconds since the epoch. */
  readonly now?: number;
  readonly seed?: string;
  /** Absent where the terminal decides. */
  readonly format?: Format;
  readonly color: boolean;
  readonly input: boolean;
  readonly verbose: boolean;
}

/** What the values of the global flags name, if not free text. */
export const GLOBAL_VALUES: Readonly<Record<string, Held | readonly string[]>> = {
  config: "file",
  fixtures: "folder",
  profile: "profile",
  format: FORMATS,
};

/** The demo's fixture, in the package. */
const DEMO = packageFile("fixtures/demo/").pathname;

/** Declares the flags of every command on the program. */
export function declareGlobals(program: Command): void {
  program
    .optionsGroup("Where and when:")
    .option("--storage <url>", "storage, as fs:FOLDER (env ANP_STORAGE)")
    .option("--config <file>", "configuration, YAML or JSON (env ANP_CONFIG)")
    .option("--demo", "the bundled demo world, kept in fs:.anp/demo")
    .option("--fixtures <folder>", "a fixture's world, kept in fs:.anp/NAME")
    .option("--url <url>", "a running daemon instead of a storage (env ANP_URL)")
    .option("--token <token>", "the user's token there (env ANP_TOKEN, ANP_TOKEN_FILE)")
    .option("--profile <name>", "a daemon and token kept by `anp profiles` (env ANP_PROFILE)")
    .option("--now <instant>", "a clock fixed at this ISO 8601 instant")
    .option("--seed <text>", "repeatable ids: for demos and tests, each on a fresh storage")
    .optionsGroup("Output:")
    .option("--json", "one JSON document (short for --format json)")
    .option("--format <format>", FORMATS.join(", "))
    .option("--no-color", "no colour (env NO_COLOR, FORCE_COLOR)")
    .option("--no-input", "never ask; a missing value is an error (env CI)")
    .option("--verbose", "debug messages and stack traces on stderr (env ANP_DEBUG)");
}

type RawGlobals = Readonly<Record<string, string | boolean | undefined>>;

/** Flags whose text is used as typed. */
const TEXTS = ["storage", "config", "url", "token", "profile", "fixtures", "seed"] as const;

/** Flags that exclude each other. */
const EXCLUSIVE: readonly (readonly [string, string])[] = [
  ["demo", "fixtures"],
  ["demo", "config"],
  ["fixtures", "config"],
  ["url", "profile"],
  ...["url", "profile"].flatMap((daemon) =>
    ["storage", "demo", "fixtures", "config", "now", "seed"].map((local): [string, string] => [daemon, local]),
  ),
];

/** @throws UsageError that names each invalid flag */
export function readGlobals(program: Command, env: Env): Globals {
  const raw = program.opts<RawGlobals>();
  const errors = EXCLUSIVE.filter((flags) => flags.every((flag) => raw[flag] !== undefined)).map(
    ([one, other]) => `--${one} and --${other} exclude each other.`,
  );
  const read = <T>(flag: string, reader: (typed: string) => T): T | undefined => {
    const typed = raw[flag];
    if (typeof typed !== "string") return undefined;
    try {
      if (typed === "") throw new RangeError("must not be empty");
      return reader(typed);
    } catch (error) {
      errors.push(`--${flag} ${asSentence((error as RangeError).message)}`);
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
    verbose: raw["verbose"] === true || (env["ANP_DEBUG"] ?? "") !== "",
  };
}
