import { CATALOGUE } from "../command-catalogue.ts";
import type { Definition } from "../framework/define-command.ts";
import { flagOf, type Param } from "../framework/param.ts";

/** A flag that the whole program has. */
export interface GlobalFlag {
  readonly flag: string;
  readonly about: string;
  readonly takesValue: boolean;
}

/** What is to be completed on a command line. */
export interface CompletionTarget {
  /** What the last word is. */
  readonly wanted:
    | { readonly kind: "word" }
    | { readonly kind: "flag" }
    | { readonly kind: "value"; readonly param: Param<unknown> }
    | { readonly kind: "global-value"; readonly flag: string };
  /** The typed part of the word or value to complete: the last word, or its end after `--flag=`. */
  readonly typed: string;
  /** The part of the last word before that. */
  readonly before: string;
  /** The command that was typed so far; undefined for none. */
  readonly command: Definition | undefined;
  /** How many of its arguments precede the last word. */
  readonly argumentsBefore: number;
  /** Whether the next word may be a verb of `command`. */
  readonly verbs: boolean;
  /** Flags that were typed, with their values. */
  readonly flags: ReadonlyMap<string, string | undefined>;
}

/**
 * Finds what the last of the words is: a command, an argument, a flag or a flag's value.
 *
 * @param words what was typed after the program's name, up to the cursor
 */
export async function findPlace(words: readonly string[], globals: readonly GlobalFlag[]): Promise<CompletionTarget> {
  const line = new TypedLine(globals);
  for (const word of words.slice(0, -1)) await line.take(word);
  return line.placeOf(words.at(-1) ?? "");
}

/** The words before the one at the cursor, taken one after the other. */
class TypedLine {
  readonly #globals: readonly GlobalFlag[];
  readonly #flags = new Map<string, string | undefined>();
  #command: Definition | undefined;
  /** Whether the next word may be a verb of the command. */
  #verbs = false;
  #arguments = 0;
  /** The flag whose value comes next. */
  #pending: string | undefined;
  /** Whether `--` was typed. */
  #flagsEnded = false;

  constructor(globals: readonly GlobalFlag[]) {
    this.#globals = globals;
  }

  async take(word: string): Promise<void> {
    if (this.#pending !== undefined) {
      this.#flags.set(this.#pending, word);
      this.#pending = undefined;
    } else if (!this.#flagsEnded && word === "--") this.#flagsEnded = true;
    else if (!this.#flagsEnded && word.startsWith("--")) this.#takeFlag(word);
    else if (this.#flagsEnded || !word.startsWith("-")) await this.#takeWord(word);
  }

  /** The place of the last word. */
  placeOf(last: string): CompletionTarget {
    const place = {
      typed: last,
      before: "",
      command: this.#command,
      argumentsBefore: this.#arguments,
      verbs: this.#verbs,
      flags: this.#flags,
    };
    if (this.#pending !== undefined) return { ...place, wanted: this.#valueOf(this.#pending) };
    if (!this.#flagsEnded && last.startsWith("--") && last.includes("=")) {
      const [flag, value = ""] = splitFlag(last);
      if (this.#takesValue(flag)) return { ...place, wanted: this.#valueOf(flag), typed: value, before: `${flag}=` };
    }
    return { ...place, wanted: { kind: !this.#flagsEnded && last.startsWith("-") ? "flag" : "word" } };
  }

  #takeFlag(word: string): void {
    const [flag, value] = splitFlag(word);
    this.#flags.set(flag, value);
    if (value === undefined && this.#takesValue(flag)) this.#pending = flag;
  }

  /** A command's name, then a verb of it, then arguments. */
  async #takeWord(word: string): Promise<void> {
    const group = this.#command;
    if (group === undefined) {
      this.#command = await CATALOGUE.find(({ name }) => name === word)?.load();
      this.#verbs = (this.#command?.commands.length ?? 0) > 0;
      if (this.#command === undefined) this.#arguments += 1;
      return;
    }
    const verb = this.#verbs ? group.commands.find(({ name }) => name === word) : undefined;
    if (this.#verbs) this.#command = verb ?? group.fallback ?? group;
    this.#verbs = false;
    if (verb === undefined) this.#arguments += 1;
  }

  #valueOf(flag: string): CompletionTarget["wanted"] {
    const param = this.#paramOf(flag);
    return param === undefined ? { kind: "global-value", flag } : { kind: "value", param };
  }

  #takesValue(flag: string): boolean {
    const isGlobal = this.#globals.some((known) => known.flag === flag && known.takesValue);
    return isGlobal || this.#paramOf(flag)?.value !== undefined;
  }

  #paramOf(flag: string): Param<unknown> | undefined {
    const options = { ...this.#command?.fallback?.options, ...this.#command?.options };
    return Object.entries(options).find(([key]) => flagOf(key) === flag)?.[1];
  }
}

function splitFlag(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
