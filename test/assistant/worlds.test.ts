import { describe, expect, it } from "vitest";
import { askAll, figuresOf } from "../eval/world-figures.ts";
import { readWorld } from "../eval/worlds.ts";

describe("answers over a company's content keep their quality", () => {
  // A little below the figures of `npm run eval -- assistant-worlds`.
  it.each([
    ["demo", { good: 0.5, wrong: 0.16, found: 0.77 }],
    ["bank", { good: 0.55, wrong: 0.16, found: 0.82 }],
    ["wallet", { good: 0.35, wrong: 0.19, found: 0.72 }],
    ["broker", { good: 0.36, wrong: 0.19, found: 0.71 }],
  ] as const)("%s", (name, floor) => {
    const world = readWorld(name);
    const figures = figuresOf(askAll(world, world.tuning));
    expect(figures["titles cited"]).toBe(1);
    expect(figures["good"]).toBeGreaterThanOrEqual(floor.good);
    expect(figures["wrong of charged"]).toBeLessThanOrEqual(floor.wrong);
    expect(1 - figures["not found"]!).toBeGreaterThanOrEqual(floor.found);
    expect(figures["not charged"]).toBeGreaterThanOrEqual(0.9);
  });
});
