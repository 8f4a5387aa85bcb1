import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { checksummed, ChecksumError, verifyChecksum } from "../../src/backup/checksummed-lines.ts";

const NOW = "2026-11-20T00:00:00.000Z";
const HEAD = JSON.stringify({ anp_export: "ledger", version: 1, created_at: NOW });
const EMPTY = createHash("sha256").digest("hex");

it("gives back the lines that were sealed, with their numbers in the input", async () => {
  const lines: string[] = [];
  for await (const line of checksummed("ledger", NOW, Readable.from(["1", "{}"]))) lines.push(line);
  expect(await open(lines)).toEqual([
    { number: 2, value: 1 },
    { number: 3, value: {} },
  ]);
});

it.for<[what: string, lines: readonly string[]]>([
  ["no line", []],
  ["a head alone", [HEAD]],
  ["an end of null", [HEAD, '{"anp_export_end":null}']],
  ["an end of null alone", ['{"anp_export_end":null}']],
  ["an end that is a number", [HEAD, '{"anp_export_end":1}']],
  ["an end without a head", [JSON.stringify({ anp_export_end: { lines: -1, sha256: EMPTY } })]],
  ["null", ["null"]],
  ["lines of null", ["null", "null"]],
  ["no JSON", ["{", "}"]],
  ["another kind", [HEAD.replace("ledger", "storage"), "{}"]],
  ["a newer version", [HEAD.replace("1", "2"), "{}"]],
])("refuses %s", async ([, lines]) => {
  await expect(open(lines)).rejects.toThrow(ChecksumError);
});

async function open(lines: readonly string[]) {
  const found = [];
  for await (const line of verifyChecksum("ledger", Readable.from(lines))) found.push(line);
  return found;
}
