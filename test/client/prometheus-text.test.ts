import { expect, it } from "vitest";
import { quantileOf, readSamples } from "../../src/client/daemon-status.ts";

it("reads names, labels and values, and skips what is no sample", () => {
  const samples = readSamples(
    '# HELP a b\n\na 1\na{x="1",y="q\\"u\\\\o"} 2.5e1\nb{le="+Inf"} +Inf\nc Nan\n}{ 3\nnothing\n',
  );
  expect(samples.get("a")).toEqual([
    { name: "a", labels: {}, value: 1 },
    { name: "a", labels: { x: "1", y: 'q"u\\o' }, value: 25 },
  ]);
  expect(samples.get("b")).toEqual([{ name: "b", labels: { le: "+Inf" }, value: Infinity }]);
  expect(samples.get("c")?.[0]?.value).toBeNaN();
});

it("estimates quantiles within the buckets, as Prometheus does", () => {
  const text = ["0.1 0", "0.5 10", "1 90", "+Inf 100"].map((line) => `h{le="${line.replace(" ", '"} ')}`).join("\n");
  const buckets = readSamples(text).get("h")!;
  const expected = [
    [0, 0],
    [0.05, 0.3],
    [0.1, 0.5],
    [0.5, 0.75],
    [0.9, 1],
    [0.99, 1],
  ];
  for (const [of, value] of expected) expect(quantileOf(buckets, of!), `quantile ${of}`).toBeCloseTo(value!);
  expect(quantileOf([], 0.5)).toBe(0);
});
