import { stringify } from "yaml";
import { z } from "zod";
import { configSchema } from "./config-schema.ts";
import { configKeys, configSections, expectationOf, type ConfigKey } from "./config-keys.ts";

const WIDTH = 100;

/**
 * A whole configuration file in YAML, with every key, its meaning, bounds, default and environment variable. What has no
 * default is commented out, so that the file as it stands means the defaults.
 */
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
    lines.push(...atDepth(section.length, off, [...comment(told(key)), ...setting(key)]));
  }
  return `${HEAD}${lines.join("\n")}\n`;

  /** The depth of the first of these sections that may be left out as a whole; undefined when there is none. */
  function offFrom(section: readonly string[]): number | undefined {
    const depth = section.findIndex((_, end) => sections.get(section.slice(0, end + 1).join("."))!.optional);
    return depth === -1 ? undefined : depth;
  }
}

const HEAD = `# The whole configuration of anp with its defaults: a file as this one is named by --config or ANP_CONFIG.
# A flag goes before the environment, the environment before this file. Paths are relative to this file.
# Secrets do not belong here: name files with them, or put them into the environment.
`;

/** What stands above a key. */
function told({ description, schema, variable, secret }: ConfigKey): string {
  const expected = expectationOf(schema);
  const parts = [`${description}.`];
  if (expected !== undefined) parts.push(`${expected[0]!.toUpperCase()}${expected.slice(1)}.`);
  if (secret) parts.push(`A file with it, or ${variable}, or ${variable}_FILE.`);
  else if (variable !== undefined) parts.push(`${variable}.`);
  return parts.join(" ");
}

function setting({ path, fallback, schema, secret }: ConfigKey): string[] {
  const name = path.at(-1)!;
  if (secret) return [`${name}_file: /run/secrets/${name}`];
  const given = (schema.meta()?.["examples"] ?? []) as readonly unknown[];
  const [example] = given.length === 0 && schema instanceof z.ZodEnum ? schema.options : given;
  return stringify({ [name]: fallback ?? example ?? null }, { lineWidth: WIDTH })
    .trimEnd()
    .split("\n");
}

/** Lines at their depth, commented out from the depth `off` on. */
function atDepth(depth: number, off: number | undefined, lines: readonly string[]): string[] {
  const pad = off === undefined ? "  ".repeat(depth) : `${"  ".repeat(off)}# ${"  ".repeat(depth - off)}`;
  return lines.map((line) => pad + line);
}

/** A description as comment lines of bounded width. */
function comment(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ").filter((word) => word !== "")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > WIDTH) lines.push(`# ${word}`);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
