import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { readNumbers, readRows } from "../../src/runtime/text/data-rows.ts";
import { temporaryFolder } from "../support/folder.ts";

async function rowsOf(text: string, read: typeof readRows | typeof readNumbers = readRows): Promise<unknown> {
  const folder = await temporaryFolder();
  const file = join(folder.path, "rows.txt");
  await writeFile(file, text);
  try {
    return read(pathToFileURL(file));
  } finally {
    await folder.remove();
  }
}

test("a data file has rows of columns of values, some over several lines, and comments", async () => {
  const text =
    "# What it is\nfee | fee, trading fee | 手续费\n\n# More\norder | limit\n  order,\n  fill | 下单\nnone | |\n";
  expect(await rowsOf(text)).toEqual([
    [["fee"], ["fee", "trading fee"], ["手续费"]],
    [["order"], ["limit order", "fill"], ["下单"]],
    [["none"], [], []],
  ]);
});

test("numbers of a data file are found by each of their names", async () => {
  expect(await rowsOf("1e3 | k, 千\n-60 | x\n", readNumbers)).toEqual(
    new Map([
      ["k", 1000],
      ["千", 1000],
      ["x", -60],
    ]),
  );
});
