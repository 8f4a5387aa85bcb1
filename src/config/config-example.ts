import { stringify } from "yaml";
import { z } from "zod";
import { describeSchema } from "../contract/schema-walk.ts";
import { configSchema, configKeys, configSections, type ConfigKey } from "./config-schema.ts";

const WIDTH = 100;

/** The defaults as a configuration file in YAML, every key explained; those without a default are commented out. */
export function exampleConfig(): string {
  const sections = configSections(configSchema);
  const lines: string[] = [];
  let open: readonly string[] = [];
  for (const key of configKeys(configSchema)) {
    const section = key.path.slice(0, -1);
    const shared = section.findIndex((name, depth) => open[depth] !== name);
    if (shared === 0 || section.length === 0) lines.push("");
    for (let depth = shared === -1 ? section.length : shared; depth < section.length; depth++) {
      const at = section.slice(0, depth + 1);
      const { description } = sections.get(at.join("."))!;
      lines.push(...atDepth(depth, offFrom(at), [...comment(description), `${section[depth]}:`]));
    }
    open = section;
    const off = offFrom(section) ?? (key.fallback === undefined ? section.length : undefined);
    lines.push(...atDepth(section.length, off, [...comment(explain(key)), ...setting(key)]));
  }
  return `${HEAD}${lines.join("\n")}\n`;

  /** The depth of the first optional section on this path; undefined when there is none. */
  function offFrom(section: readonly string[]): number | undefined {
    const depth = section.findIndex((_, end) => sections.get(section.slice(0, end + 1).join("."))!.optional);
    return depth === -1 ? undefined : depth;
  }
}

const HEAD = `# The complete configuration of anp with its defaults. Name the file with --config or ANP_CONFIG.
# Precedence: flags, environment, this file, defaults. Paths are relative to this file.
# Secrets do not belong here: put each into a file that this file names, or into the environment.
`;

function explain({ description, schema, variable, secret }: ConfigKey): string {
  const parts = [`${description}.`];
  if (schema instanceof z.ZodNumber || schema instanceof z.ZodBoolean || schema instanceof z.ZodEnum) {
    const accepted = describeSchema(schema)!;
    parts.push(`${accepted[0]!.toUpperCase()}${accepted.slice(1)}.`);
  }
  if (secret) parts.push(`Set by a file that holds it, ${variable}, or ${variable}_FILE.`);
  else if (variable !== undefined) parts.push(`${variable}.`);
  return parts.join(" ");
}

function setting({ path, fallback, schema, secret }: ConfigKey): string[] {
  const name = path.at(-1)!;
  if (secret) return [`${name}_file: /run/secrets/${name}`];
  const given = (schema.meta()?.["examples"] ?? []) as readonly unknown[];
  const [example] = given.length === 0 && schema instanceof z.ZodEnum ? schema.options : given;
  const text = stringify({ [name]: fallback ?? example ?? null }, { lineWidth: WIDTH });
  return text.trimEnd().split("\n");
}

/** Indents lines, and comments them out from the depth `off` on. */
function atDepth(depth: number, off: number | undefined, lines: readonly string[]): string[] {
  const pad = off === undefined ? "  ".repeat(depth) : `${"  ".repeat(off)}# ${"  ".repeat(depth - off)}`;
  return lines.map((line) => pad + line);
}

function comment(text: string): string[] {
  return wrapText(text, WIDTH - 2).map((line) => `# ${line}`);
}

/** The lines of a text of at most `width` characters each; a longer word is a line. */
export function wrapText(text: string, width: number): string[] {
  const line = new RegExp(` ?(\\S{${width},}|.{1,${width}})(?= |$)`, "g");
  return [...text.matchAll(line)].map(([, words]) => words!);
}
