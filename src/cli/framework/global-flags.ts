import type { Command } from "commander";
import { UsageError } from "./exit.ts";
import type { Held } from "./param.ts";
import { asSentence, instant, notAmong } from "./value-readers.ts";
import { packageFile } from "../../runtime/package-file.ts";

/** How data is printed. */
export const FORMATS = ["table", "tsv", "json", "jsonl", "csv"] as const;

export type Format = (typeof FORMATS)[number];

/** What each format is. */
export const FORMAT_MEANINGS: Readonly<Record<Format, string>> = {
  table: "what a terminal shows: columns below each other, wide characters too, cut to the terminal's width",
  tsv: "what a pipe gets: a line of column names, then one line a row",
  json: "one document; --json is short for it",
  jsonl: "one JSON object a line",
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

/** What the values of the flags of every command are, where that is more than any text. */
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
    .option("--now <instant>", "a clock that stands at this ISO 8601 instant")
    .option("--seed <text>", "repeatable ids: for demos and tests, each on a fresh storage")
    .optionsGroup("Output:")
    .option("--json", "one JSON document (short for --format json)")
    .option("--format <format>", FORMATS.join(", "))
    .option("--no-color", "no colour (env NO_COLOR, FORCE_COLOR)")
    .option("--no-input", "never ask; a missing value is an error (env CI)")
    .option("--verbose", "debug messages and stack traces on stderr (env ANP_DEBUG)");
}

type RawGlobals = Readonly<Record<string, string | boolean | undefined>>;

/** @throws UsageError that names each bad flag */
export function readGlobals(program: Command, env: Readonly<Record<string, string | undefined>>): Globals {
  const raw = program.opts<RawGlobals>();
  const faults: string[] = [];
  const text = (name: string): string | undefined => {
    const value = raw[name];
    if (value === "") faults.push(`--${name} must not be empty.`);
    return typeof value === "string" ? value : undefined;
  };
  const exclude = (one: string, other: string): void => {
    if (raw[one] !== undefined && raw[other] !== undefined) faults.push(`--${one} and --${other} exclude each other.`);
  };
  exclude("demo", "fixtures");
  exclude("demo", "config");
  exclude("fixtures", "config");
  exclude("url", "profile");
  for (const daemon of ["url", "profile"]) {
    for (const own of ["storage", "demo", "fixtures", "config", "now", "seed"]) exclude(daemon, own);
  }

  const named = text("format");
  if (raw["json"] === true && named !== undefined && named !== "json")
    faults.push("--json and --format exclude each other.");
  const format = FORMATS.find((one) => one === (raw["json"] === true ? "json" : named));
  if (named !== undefined && named !== "" && format === undefined) {
    faults.push(asSentence(`--format ${notAmong(FORMATS, named).message}`));
  }
  let now: number | undefined;
  const at = text("now");
  if (at !== undefined && at !== "") {
    try {
      now = instant(at);
    } catch (error) {
      faults.push(`--now ${(error as Error).message}.`);
    }
  }
  const storage = text("storage");
  const url = text("url");
  const token = text("token");
  const profile = text("profile");
  const fixtures = raw["demo"] === true ? DEMO : text("fixtures");
  const config = text("config");
  const seed = text("seed");
  if (faults.length > 0) throw new UsageError(faults);
  return {
    ...(storage === undefined ? {} : { storage }),
    ...(config === undefined ? {} : { config }),
    ...(url === undefined ? {} : { url }),
    ...(token === undefined ? {} : { token }),
    ...(profile === undefined ? {} : { profile }),
    ...(fixtures === undefined ? {} : { fixtures }),
    ...(now === undefined ? {} : { now }),
    ...(seed === undefined ? {} : { seed }),
    ...(format === undefined ? {} : { format }),
    color: raw["color"] !== false,
    input: raw["input"] !== false,
    verbose: raw["verbose"] === true || (env["ANP_DEBUG"] ?? "") !== "",
  };
}
