// Makes the example of a configuration file from the compiled schema of the configuration, which never changes after the
// build.
import { readFile } from "node:fs/promises";
import { stringify } from "yaml";
import { z } from "zod";
import { wrapText } from "../dist/cli/help/help-text.js";
import { configNodes } from "../dist/config/config-schema.js";
import { describeSchema } from "../dist/contract/validation/schema-walk.js";

const WIDTH = 100;

/** The defaults as a configuration file in YAML, every key explained; those without a default are commented out. */
export async function exampleConfig() {
  const nodes = configNodes();
  const optional = new Set(nodes.filter((node) => node.optional).map(({ name }) => name));
  const lines = nodes.flatMap((node) => {
    const { path, schema, description } = node;
    const off = path.findIndex((_, end) => optional.has(path.slice(0, end + 1).join(".")));
    const isSection = schema instanceof z.ZodObject;
    const about = wrapText(isSection ? description : explain(node), WIDTH - 2).map((line) => `# ${line}`);
    const shown = [...about, ...(isSection ? [`${path.at(-1)}:`] : setting(node))];
    const depth = path.length - 1;
    // Optional keys and those below them are commented out.
    const pad = off === -1 ? "  ".repeat(depth) : `${"  ".repeat(off)}# ${"  ".repeat(depth - off)}`;
    return [...(depth === 0 ? [""] : []), ...shown.map((line) => pad + line)];
  });
  const head = await readFile(new URL("../src/config/example-head.txt", import.meta.url), "utf8");
  return `${head}${lines.join("\n")}\n`;
}

function explain({ description, schema, variable, secret }) {
  const parts = [`${description}.`];
  if (schema instanceof z.ZodNumber || schema instanceof z.ZodBoolean || schema instanceof z.ZodEnum) {
    const accepted = describeSchema(schema);
    parts.push(`${accepted[0].toUpperCase()}${accepted.slice(1)}.`);
  }
  if (secret) parts.push(`Set by a file that holds it, ${variable}, or ${variable}_FILE.`);
  else if (variable !== undefined) parts.push(`${variable}.`);
  return parts.join(" ");
}

function setting({ path, fallback, schema, secret }) {
  const name = path.at(-1);
  if (secret) return [`${name}_file: /run/secrets/${name}`];
  const given = schema.meta()?.examples ?? [];
  const [example] = given.length === 0 && schema instanceof z.ZodEnum ? schema.options : given;
  const text = stringify({ [name]: fallback ?? example ?? null }, { lineWidth: WIDTH });
  return text.trimEnd().split("\n");
}
