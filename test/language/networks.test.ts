import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { unitsOf } from "../../src/language/attention/units.ts";
import { newsNames } from "../../src/language/name-table.ts";

const ROOT = new URL("../../", import.meta.url);
const textsIn = (folder: string): string[] =>
  readdirSync(new URL(folder, ROOT))
    .filter((name) => name.endsWith(".txt"))
    .sort()
    .map((name) => readFileSync(new URL(folder + name, ROOT), "utf8"));
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe.each([
  {
    network: "src/news/topics/title-network.br",
    script: "make-title-network.js",
    names: newsNames(),
    sources: [
      ...["groups/", "groups-later/", "groups-contrasts/"].flatMap((folder) => textsIn(`fixtures/eval/news/${folder}`)),
      readFileSync(new URL("fixtures/eval/news/groups.jsonl", ROOT), "utf8"),
    ],
  },
  {
    network: "src/assistant/retrieval/answer-network.br",
    script: "make-answer-network.js",
    names: undefined,
    sources: ["", "more/", "later/", "passages/"].flatMap((folder) => textsIn(`fixtures/eval/centers/${folder}`)),
  },
])("$network", ({ network, script, names, sources }) => {
  const bytes = brotliDecompressSync(readFileSync(new URL(network, ROOT)));
  const known = new Set(bytes.toString("utf8", 0, bytes.indexOf("\n\n")).split("\n"));
  const seen = bytes.subarray(-64).toString("hex");
  const text = sources.join("");

  test("was made of what it learns from as it is", () => {
    expect(seen.slice(0, 64), `node scripts/${script} was not run again`).toBe(sha256(text));
  });

  test("was made of the units that are found now", () => {
    const lines = text.split("\n").filter((_, at) => at % 40 === 0);
    const unitsIn = (line: string): string =>
      unitsOf(line, (word) => known.has(word), names)
        .map(({ key, parts }) => [key, ...parts].join(" "))
        .join("\t");
    expect(seen.slice(64), `node scripts/${script} was not run again`).toBe(sha256(lines.map(unitsIn).join("\n")));
  });
});
