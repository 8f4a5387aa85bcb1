import { describe, expect, test } from "vitest";
import { Phrases } from "../../../src/news/items/phrases.ts";
import { parseRows } from "../../../src/runtime/text/data-rows.ts";

const phrases = new Phrases(
  parseRows(`
{up} | rose, climb*
{cost} | fee, fee cap, queue*
good | {up} to _ high, rose | 创_新高
bad | {cost} {up}, {cost} rose again, hit _ | 获_担保
`),
);

/** What is left of a text, and the kinds of what was taken. */
function take(text: string): string {
  const kinds: string[] = [];
  return [phrases.takenFrom(text, (kind) => kinds.push(kind)), ...kinds].join("; ");
}

describe("phrases", () => {
  test.each([
    ["shares climbed to a five-year high", "shares  | ; good"],
    ["climbed to one two three four high", " | ; good"],
    ["climbed to one two three four five high", "climbed to one two three four five high"],
    ["climbed to a low, then high", "climbed to a low, then high"],
    ["climbed to 1,000 high", " | ; good"],
    ["the fee rose", "the fee  | ; good"],
    ["fee cap climbs", " | ; bad"],
    ["fees climb", "fees climb"],
    ["coffee climbs", "coffee climbs"],
    ["queues climbing, fee climbs", " | ,  | ; bad; bad"],
    ["a ship hit by a wave", "a ship  | by a wave; bad"],
    ["股价创十年新高", "股价 | ; good"],
    ["股价创下，新高", "股价创下，新高"],
    ["获担保", " | ; bad"],
  ])("of %j leave %j", (text, left) => {
    expect(take(text)).toBe(left);
  });
});
