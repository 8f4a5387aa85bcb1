import { readFile } from "node:fs/promises";
import { configKeys, exampleConfig } from "../../config/config-schema.ts";
import { ERRORS } from "../../contract/errors.ts";
import { FAULT_LIST } from "../../faults/fault-catalogue.ts";
import SMOKE_KEYS from "../../smoke/file/smoke-file.json" with { type: "json" };
import MATCHER_TEXTS from "../../smoke/run/matchers.json" with { type: "json" };
import { EXIT } from "../framework/command-failure.ts";
import MEANINGS from "./meanings.json" with { type: "json" };

type Row = readonly [name: string, ...meaning: string[]];
const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = { ...SMOKE_KEYS, ...MEANINGS };

const TABLES: Readonly<Record<string, () => readonly Row[]>> = {
  matchers: () => Object.entries(MATCHER_TEXTS).map(([name, { about, example }]) => [name, about, example]),
  faults: () => FAULT_LIST.map(({ text, about }) => [text, about]),
  keys: () =>
    configKeys().flatMap(({ variable, name, description, secret }): Row[] => {
      if (variable === undefined || Object.hasOwn(MEANINGS.variables, variable)) return [];
      const file: Row[] = secret ? [[`${variable}_FILE`, `a file that contains ${name}`]] : [];
      return [[variable, `${name}: ${description}`], ...file];
    }),
  codes: () =>
    Object.entries(EXIT).map(([name, exit]) => {
      const codes = Object.entries(ERRORS).flatMap(([code, error]) => (error.exit === exit ? [code] : []));
      const from = codes.length === 0 ? "" : ` (API: ${codes.join(", ")})`;
      return [String(exit), `${MEANINGS.codes[name as keyof typeof EXIT]}${from}`];
    }),
};

/** The text of a help topic, one of `help-topics.json`: the file of its name, with its tables. */
export async function helpText(topic: string): Promise<string> {
  if (topic === "configuration") return exampleConfig();
  const text = await readFile(new URL(`${topic}.txt`, import.meta.url), "utf8");
  return text.replaceAll(/^( *)\{\{(\w+)\}\}/gm, (_place, margin: string, table: string) =>
    twoColumns(TABLES[table]?.() ?? Object.entries(TEXTS[table]!), margin),
  );
}

const WIDTH = 100;

function twoColumns(rows: readonly Row[], margin: string): string {
  const indent = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.flatMap(([name, ...meaning]) =>
    meaning
      .flatMap((text) => wrapText(text, WIDTH - indent))
      .map((part, index) => `${margin}${(index === 0 ? name : "").padEnd(indent)}${part}`),
  );
  return lines.join("\n");
}

/** The lines of a text of at most `width` characters each; a longer word is a line. */
export const wrapText = (text: string, width: number): string[] =>
  Array.from(text.matchAll(new RegExp(` ?(\\S{${width},}|.{1,${width}})(?= |$)`, "g")), ([, words]) => words!);
