import type { Command } from "commander";
import { UsageError } from "./exit.ts";
import { instant } from "./values.ts";

/** How data is printed. */
export const FORMATS = ["table", "tsv", "json", "jsonl", "csv"] as const;

export type Format = (typeof FORMATS)[number];

/** The flags that every command has. */
export interface Globals {
  readonly storage?: string;
  readonly config?: string;
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

/** The demo's fixture, in the package. */
const DEMO = new URL("../../fixtures/demo/", import.meta.url).pathname;

/** Declares the flags of every command on the program. */
export function declareGlobals(program: Command): void {
  program
    .optionsGroup("Where and when:")
    .option("--storage <url>", "storage, as fs:FOLDER (env ANP_STORAGE)")
    .option("--config <file>", "configuration, YAML or JSON (env ANP_CONFIG)")
    .option("--demo", "the bundled demo world, kept in fs:.anp/demo")
    .option("--fixtures <folder>", "a fixture's world, kept in fs:.anp/NAME")
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

  const named = text("format");
  if (raw["json"] === true && named !== undefined && named !== "json")
    faults.push("--json and --format exclude each other.");
  const format = FORMATS.find((one) => one === (raw["json"] === true ? "json" : named));
  if (named !== undefined && named !== "" && format === undefined) {
    faults.push(`--format must be one of ${FORMATS.join(", ")}, not ${named}.`);
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
  const fixtures = raw["demo"] === true ? DEMO : text("fixtures");
  const config = text("config") ?? (fixtures === undefined ? env["ANP_CONFIG"] : undefined);
  const seed = text("seed");
  if (faults.length > 0) throw new UsageError(faults);
  return {
    ...(storage === undefined ? {} : { storage }),
    ...(config === undefined || config === "" ? {} : { config }),
    ...(fixtures === undefined ? {} : { fixtures }),
    ...(now === undefined ? {} : { now }),
    ...(seed === undefined ? {} : { seed }),
    ...(format === undefined ? {} : { format }),
    color: raw["color"] !== false,
    input: raw["input"] !== false,
    verbose: raw["verbose"] === true || (env["ANP_DEBUG"] ?? "") !== "",
  };
}
