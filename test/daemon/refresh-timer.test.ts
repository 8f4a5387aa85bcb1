import { expect, it } from "vitest";
import { nextRefresh } from "../../src/daemon/refresh-timer.ts";

const interval_ms = 300_000;
const now = Date.parse("2026-11-20T00:00:00Z");
const ago = (intervals: number): number => now - intervals * interval_ms;

it.for([
  { name: "nothing was published", published: undefined, full: undefined, due: { in_ms: 0, mode: "full" } },
  { name: "nothing was ever full", published: ago(0), full: undefined, due: { in_ms: 0, mode: "full" } },
  { name: "it was just done", published: ago(0), full: ago(0), due: { in_ms: interval_ms, mode: "view" } },
  {
    name: "another daemon did it half an interval ago",
    published: ago(0.5),
    full: ago(3),
    due: { in_ms: 150_000, mode: "view" },
  },
  { name: "one interval has passed", published: ago(1), full: ago(11), due: { in_ms: 0, mode: "view" } },
  { name: "the twelfth interval has passed", published: ago(1), full: ago(12), due: { in_ms: 0, mode: "full" } },
  { name: "the clock stepped back", published: ago(-3), full: ago(-3), due: { in_ms: interval_ms, mode: "view" } },
  {
    name: "the clock stepped back and an interval has passed since",
    published: ago(-3),
    full: ago(-3),
    known: 1,
    due: { in_ms: 0, mode: "view" },
  },
  {
    name: "the clock stepped back far and an interval has passed since",
    published: ago(-100),
    full: ago(-100),
    known: 1.5,
    due: { in_ms: 0, mode: "full" },
  },
])("knows what is due when $name", ({ published, full, known = 0, due }) => {
  const known_ms = known * interval_ms;
  expect(nextRefresh({ published_ms: published, full_ms: full, interval_ms, known_ms, now })).toEqual(due);
});
