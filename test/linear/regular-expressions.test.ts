import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { analyse } from "scslre";
import { expect, it } from "vitest";

const SOURCES = resolve(import.meta.dirname, "../../src");

/** Files that make expressions of their own constants, which `linear-time.test.ts` runs, or of what an operator wrote. */
const MAKE_EXPRESSIONS = [
  "assistant/answering/asked-facts.ts",
  "assistant/answering/period.ts",
  "assistant/grounding/check-statement.ts",
  "assistant/grounding/figures.ts",
  "assistant/grounding/word-sets.ts",
  "assistant/routing/router.ts",
  "cli/help/help-text.ts",
  "language/assets.ts",
  "language/quantities.ts",
  "language/traditional.ts",
  "news/sources/feed-dates.ts",
  "news/topics/title-questions.ts",
  "runtime/text/patterns.ts",
  "smoke/file/smoke-file.ts",
  "smoke/run/matchers.ts",
  "storage/health/storage-remedy.ts",
  "storage/redis/redis-driver.ts",
];

interface Found {
  readonly literals: { readonly pattern: string; readonly flags: string }[];
  makesExpressions: boolean;
}

/** The regular expressions of a module. */
function expressionsIn(source: string): Found {
  const found: Found = { literals: [], makesExpressions: false };
  const pending: unknown[] = [parseAst(source, { lang: "ts" })];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node !== "object" || node === null) continue;
    const { regex, type, callee } = node as { regex?: Found["literals"][0]; type?: string; callee?: { name?: string } };
    if (regex !== undefined) found.literals.push(regex);
    else pending.push(...(Object.values(node) as unknown[]));
    found.makesExpressions ||= (type === "NewExpression" || type === "CallExpression") && callee?.name === "RegExp";
  }
  return found;
}

/** The ways in which matching takes more than linear time, by Liu, Zhang & Meng's kinds: itself, a pair, or each start. */
function slowPartsOf({ pattern, flags }: Found["literals"][0]): string[] {
  const { reports } = analyse({ source: pattern, flags }, { reportTypes: { Move: true, Self: true, Trade: true } });
  return reports.map(
    ({ type, exponential }) => `${exponential ? "exponential" : "polynomial"} (${type}): /${pattern}/`,
  );
}

it("has no regular expression that takes more than linear time", async () => {
  const files = (await readdir(SOURCES, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const slow: string[] = [];
  const makers: string[] = [];
  for (const file of files.sort()) {
    const { literals, makesExpressions } = expressionsIn(await readFile(join(SOURCES, file), "utf8"));
    if (makesExpressions) makers.push(file);
    for (const literal of literals) slow.push(...slowPartsOf(literal).map((part) => `${file}: ${part}`));
  }
  expect(slow).toEqual([]);
  expect(makers).toEqual(MAKE_EXPRESSIONS);
});

it("has none among those that are data", async () => {
  const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(SOURCES, file), "utf8"));
  const files = (await readdir(SOURCES, { recursive: true })).filter((file) => file.endsWith("-patterns.json"));
  const found = textsIn(await Promise.all(files.map(read)));
  expect(found.length).toBeGreaterThan(200);
  const { time } = (await read("news/sources/date-patterns.json")) as { time: string };
  const patterns = found.map((pattern) => pattern.replaceAll("{words}", "one|two").replaceAll("{time}", time));
  const literals = (await read("assistant/grounding/data/literals.json")) as string[];
  expect(patterns.flatMap((pattern) => slowPartsOf({ pattern, flags: "u" }))).toEqual([]);
  expect(literals.flatMap((pattern) => slowPartsOf({ pattern, flags: "gi" }))).toEqual([]);
});

/** All texts of a JSON value. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

it("would find the slow ones", () => {
  const { literals, makesExpressions } = expressionsIn("x.replace(/([ \\t]*)\\[/g, y); new RegExp(z);");
  expect(makesExpressions).toBe(true);
  expect(literals.flatMap(slowPartsOf)).toEqual(["polynomial (Move): /([ \\t]*)\\[/"]);
  expect(slowPartsOf({ pattern: "^(?:a+)+$", flags: "" })[0]).toMatch(/^exponential/);
});
