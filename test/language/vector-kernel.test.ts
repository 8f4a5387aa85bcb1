import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { VectorKernel, WIDTH } from "../../src/language/attention/vector-kernel.ts";

const kernel = new VectorKernel();
const { floats, integers } = kernel;
let seed = 1;
const random = (): number => ((seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647) * 2 - 1;

/** Places random numbers. Returns their address. */
function place(count: number): number {
  const address = kernel.reserve(count);
  for (let at = 0; at < count; at++) floats[address / 4 + at] = random();
  return address;
}

function placeList(addresses: readonly number[]): number {
  const list = kernel.reserve(addresses.length);
  integers.set(addresses, list / 4);
  return list;
}

const read = (address: number, count = WIDTH): number[] =>
  Array.from(floats.subarray(address / 4, address / 4 + count));
const expectClose = (actual: readonly number[], expected: readonly number[]): void =>
  actual.forEach((value, at) => expect(value).toBeCloseTo(expected[at]!, 4));
const sumOfRows = (rows: readonly number[], weights: readonly number[], from: readonly number[]): number[] =>
  from.map((value, at) => rows.reduce((sum, row, number) => sum + weights[number]! * read(row)[at]!, value));

describe.each([0, 1, 3, 48])("%i vectors", (count) => {
  const units = Array.from({ length: count }, () => place(4 * WIDTH));
  const [list, weights, target] = [placeList(units), place(count), place(WIDTH)];
  const weightsOf = read(weights, count);

  test("are added, each times its weight", () => {
    const expected = sumOfRows(
      units.map((unit) => unit + 128),
      weightsOf,
      read(target),
    );
    kernel.call.addRows(target, list, count, 128, weights);
    expectClose(read(target), expected);
  });

  test("are multiplied with one", () => {
    const [products, vector] = [place(count + 1), place(WIDTH)];
    const after = read(products, count + 1).at(-1);
    kernel.call.products(products, list, count, 256, vector);
    const of = (unit: number): number =>
      read(unit + 256).reduce((sum, value, at) => sum + value * read(vector)[at]!, 0);
    expectClose(read(products, count), units.map(of));
    expect(read(products, count + 1).at(-1)).toBe(after);
  });

  test("have a mean, with which the hidden layer of a unit is computed", () => {
    const unit = place(4 * WIDTH);
    const flags = kernel.layer(14, WIDTH, random);
    const product = kernel.layer(WIDTH, WIDTH, random);
    for (let at = 0; at < 14; at++) floats[kernel.input / 4 + at] = random();
    const rowsOf = ({ rows, inputs }: typeof flags): number[] =>
      Array.from(integers.subarray(rows / 4, rows / 4 + inputs));
    const mean = sumOfRows(units, weightsOf, new Array(WIDTH).fill(0));
    const attended = mean.map((value, at) => 2 * value * read(unit)[at]!);
    const withFlags = sumOfRows(rowsOf(flags), read(kernel.input, 14), read(unit + 384));
    const withMean = sumOfRows(
      units.map((other) => other + 128),
      weightsOf,
      withFlags,
    );
    const hidden = sumOfRows(rowsOf(product), attended, withMean);
    const expected = read(target).map((value, at) => value + Math.max(0, hidden[at]!));
    kernel.call.addHidden(target, unit, list, count, weights, kernel.input, flags.rows, flags.inputs, product.rows);
    expectClose(read(target), expected);
  });
});

test("the module is assembled from the text beside it", async () => {
  const file = new URL("../../src/language/attention/vector-kernel.wasm", import.meta.url);
  const script = new URL("../../scripts/make-vector-kernel.js", import.meta.url).href;
  const { assemble } = (await import(script)) as { assemble: () => Promise<Uint8Array> };
  expect(readFileSync(file)).toEqual(Buffer.from(await assemble()));
});
