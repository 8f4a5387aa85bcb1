import { expect, it } from "vitest";
import { createLoadShedder } from "../../src/http/limits/load-shedder.ts";

/** A shedder on a clock that is set by hand. */
function open(wait_ms = 2000) {
  let now = 0;
  const reasons: string[] = [];
  const load = createLoadShedder({ wait_ms, refused: (reason) => void reasons.push(reason) }, () => now);
  const pass = (ms: number): void => void (now += ms);
  return { load, pass, reasons };
}

/** Begins requests of different users until one is refused; the functions that end them. */
function fill(load: ReturnType<typeof createLoadShedder>, own = 1, most = 10_000): (() => void)[] {
  const ends: (() => void)[] = [];
  try {
    while (ends.length < most) ends.push(load.begin("chat", own, 0)!);
  } catch (error) {
    expect(error).toMatchObject({ code: 429 });
  }
  return ends;
}

it("accepts what can be answered in the longest wait, at the rate at which answers are finished", () => {
  const { load, pass, reasons } = open();
  expect(fill(load).length).toBeLessThan(300);
  expect(reasons).toEqual(["wait"]);
  const measured = open();
  const ends = fill(measured.load, 1, 200);
  for (const end of ends) {
    measured.pass(20);
    end();
  }
  expect(fill(measured.load).length).toBeGreaterThan(90);
  expect(fill(open().load).length).toBeGreaterThan(fill(measured.load).length);
  pass(0);
});

it("says in Retry-After when the queue will be short enough", () => {
  const { load, pass } = open();
  for (const end of fill(load, 1, 200)) {
    pass(100);
    end();
  }
  const ends = fill(load);
  for (let n = 0; n < 20; n++) ends.push(() => undefined);
  expect(() => load.begin("chat", 1, 0)).toThrow(
    expect.objectContaining({ code: 429, headers: { "retry-after": expect.stringMatching(/^[1-9]\d*$/) as string } }),
  );
});

it("asks those it refuses to come back at the rate at which it answers, none later than in ten seconds", () => {
  const { load, pass } = open();
  for (const end of fill(load, 1, 200)) {
    pass(100);
    end();
  }
  fill(load);
  const refusedFor = (): number => {
    try {
      load.check("chat", 1, 0);
    } catch (error) {
      return Number((error as { headers: Record<string, string> }).headers["retry-after"]);
    }
    return 0;
  };
  const seconds = Array.from({ length: 200 }, refusedFor);
  expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
  // Ten a second.
  for (const second of [3, 5, 7]) expect(seconds.filter((after) => after === second).length).toBeCloseTo(10, -0.5);
  expect(seconds.at(-1)).toBe(10);
  pass(60_000);
  expect(refusedFor()).toBeLessThan(3);
});

it("counts what a request has waited already", () => {
  const { load } = open();
  fill(load, 1, 100);
  expect(load.begin("chat", 1, 1000)).toBeDefined();
  expect(() => load.begin("chat", 1, 1500)).toThrow("busy");
});

it("refuses who has several requests running before those who have none", () => {
  const { load } = open();
  const heavy = fill(load, 2);
  expect(() => load.begin("chat", 2, 0)).toThrow("busy");
  expect(fill(load, 1).length).toBeGreaterThan(heavy.length / 4);
});

it("measures bursts as it measures a steady flow", () => {
  const { load, pass } = open();
  for (let round = 0; round < 4; round++) {
    const ends = fill(load, 1, 100);
    pass(2000);
    for (const end of ends) end();
  }
  const accepted = fill(load).length;
  expect(accepted).toBeGreaterThan(80);
  expect(accepted).toBeLessThan(120);
});

it("recovers from a pause of the process, and always lets a few through", () => {
  const { load, pass } = open();
  const before = fill(load, 1, 100);
  pass(60_000);
  before.pop()!();
  expect(() => {
    load.check("chat", 1, 0);
  }).toThrow("busy");
  for (const end of before) {
    pass(1);
    end();
  }
  for (let n = 0; n < 2000; n++) {
    const ends = fill(load, 1, 8);
    expect(ends).toHaveLength(8);
    pass(8);
    for (const end of ends) end();
  }
  expect(fill(load).length).toBeGreaterThan(100);
});

it("takes the time of a model for no queue", () => {
  const load = createLoadShedder({ wait_ms: 2000, hasModel: true });
  expect(load.begin("chat", 1, 0)).toBeUndefined();
  expect(load.begin("points", 1, 0)).toBeDefined();
});

it("refuses no reads, and nothing where there is no limit", () => {
  expect(open().load.begin("public", 1, 0)).toBeUndefined();
  expect(open().load.begin("account", 1, 0)).toBeUndefined();
  expect(fill(open(0).load)).toHaveLength(10_000);
});
