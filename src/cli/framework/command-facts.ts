import type { Role } from "../../contract/roles.ts";
import TABLE from "../commands.json" with { type: "json" };
import SHARED from "../shared-params.json" with { type: "json" };
import type { Format } from "./global-flags.ts";
import type { Params, Readings } from "../params/param.ts";

/** What `commands.json` says of a command. `help/commands.md` has its description and examples. */
export interface CommandFacts {
  readonly group?: string; // The heading in the help, of a first word.
  readonly summary: string;
  /** What it works on: the storage (when left out), that or a daemon (`--url`), or neither (flags may be its own). */
  readonly target?: "storage" | "either" | "none";
  /** Who may run it through the admin address: `support` what only reads, `operator` the rest, nobody when left out. */
  readonly role?: Role;
  readonly formats?: readonly Format[]; // The formats it prints; all of them when left out.
  /** The texts of its arguments and flags: the placeholder of a value, and what it means. A flag without a value has
   * only a meaning. Those of `shared-params.json` hold where it has none of its own. */
  readonly takes?: Texts;
  readonly fields?: Readonly<Record<string, string>>; // Field of the contract → its argument or flag, if not `--field`.
}

type Texts = Readonly<Record<string, string | readonly string[]>>;
/** The name of a command, as `ledger list`. */
export type CommandName = keyof typeof TABLE;
/** All commands and groups of commands, in the order of the help. */
export const COMMANDS = TABLE as Readonly<Record<CommandName, CommandFacts>>;

/** The params of a command with their texts. */
export function describeParams(name: CommandName, readings: Readings = {}): Params {
  const texts: Texts = { ...SHARED, ...COMMANDS[name].takes };
  const described = Object.entries(readings).map(([key, reading]) => {
    const [about, value] = [texts[key]!].flat().toReversed();
    return [key, { ...reading, value, about: about! }] as const;
  });
  return Object.fromEntries(described);
}
