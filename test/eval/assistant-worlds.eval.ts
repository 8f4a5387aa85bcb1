import { describe, expect, it } from "vitest";
import { askAll, figuresOf, type Result } from "./world-figures.ts";
import { WORLDS, readWorld } from "./worlds.ts";

function list(results: readonly Result[]): void {
  for (const { asked, answer, isGood, isTold, isRight } of results) {
    const ids = answer.sources.map(({ id }) => id).join();
    console.log(
      isGood ? "good" : isTold ? "told" : isRight ? "near" : "bad",
      answer.outcome,
      answer.routing.route,
      `[${asked.kind}]`,
      asked.question,
      "→",
      ids,
      "want",
      asked.gold.join(),
    );
  }
}

describe("answers over the content of six companies", () => {
  const worlds = WORLDS.map((name) => readWorld(name));
  // The held-out questions are read for the last figure only, never to tune on.
  const parts = process.env["ANP_EVAL_HELD_OUT"] === "1" ? (["tuning", "heldOut"] as const) : (["tuning"] as const);

  it("answers what the content answers, and declines the rest", () => {
    const table: Record<string, Record<string, number>> = {};
    for (const world of worlds) {
      for (const part of parts) {
        if (world[part].length === 0) continue;
        const results = askAll(world, world[part]);
        table[`${world.name}, ${part}`] = figuresOf(results);
        for (const lang of ["zh", "en"])
          table[`${world.name}, ${part}, ${lang}`] = figuresOf(results.filter(({ asked }) => asked.lang === lang));
        if (process.env["ANP_EVAL_VERBOSE"] === "1" && part === "tuning") list(results);
      }
    }
    console.table(table);
    expect(Object.keys(table).length).toBeGreaterThan(0);
  });
});
