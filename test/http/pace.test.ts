import { expect, it } from "vitest";
import { createPace } from "../../src/http/limits/pace.ts";

it("lets so many continue in a turn of the event loop, in the order in which they came", async () => {
  const turns: number[][] = [];
  let counter: NodeJS.Immediate;
  const count = (): void => {
    turns.push([]);
    counter = setImmediate(count);
  };
  count();
  const turn = createPace(3);
  const waiting = Array.from({ length: 7 }, async (_, n) => {
    await turn();
    turns.at(-1)!.push(n);
  });
  await Promise.all(waiting);
  await turn();
  clearImmediate(counter!);
  expect(turns.filter((those) => those.length > 0)).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
});
