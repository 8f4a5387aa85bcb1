import { rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createWorld, HOUR, NOON, rss, type World } from "../world.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const FEED = { id: "a", name: "A", lang: "en", url: "wire.xml" };
const CONFIG = { sources: [FEED], help: { en: "help" }, notices: "notices.json", fear_greed: "mood.json" };
const NOTICE = { id: "n", lang: "en", title: "Notice" };

/** Publishes a snapshot of the files, then changes them. @returns whether that is seen at the start, and later on */
async function changesAfter(change: () => unknown = () => undefined, config: object = CONFIG) {
  await world.write("wire.xml", rss([{ title: "One", at: NOON - HOUR }]));
  await world.write("help/a.md", "# A\n\nA takes 1 day.\n");
  await world.write("notices.json", JSON.stringify({ notices: [NOTICE] }));
  await world.write("mood.json", JSON.stringify({ series: [{ date: "2026-11-20", value: 50 }] }));
  await world.news(CONFIG).refresh("full");
  await change();
  const news = world.news(config);
  return [await news.hasChanged(true), await news.hasChanged(false)];
}

it("the same sources and files are no change, nor are new times of the same content", async () => {
  expect(await changesAfter()).toEqual([false, false]);
  expect(await changesAfter(() => utimes(join(world.folder, "help/a.md"), 1, 1))).toEqual([false, false]);
});

it.for([
  ["a file more in a help folder", () => world.write("help/b.md", "# B"), true],
  ["another text of the same length", () => world.write("help/a.md", "# A\n\nA takes 2 day.\n"), true],
  ["a file less in a help folder", () => rm(join(world.folder, "help/a.md")), true],
  ["other notices", () => world.write("notices.json", JSON.stringify({ notices: [] })), true],
  ["another mood", () => world.write("mood.json", "{}"), true],
  ["no help folder", () => rm(join(world.folder, "help"), { recursive: true }), true],
  ["a feed's file, which each refresh reads", () => world.write("wire.xml", rss([{ title: "Two", at: NOON }])), false],
] as const)("a change is %s", async ([, change, later]) => {
  expect(await changesAfter(change)).toEqual([true, later]);
});

it.for([
  ["a source more", { ...CONFIG, sources: [FEED, { ...FEED, id: "b", url: "https://b.example/" }] }],
  ["a source less", { ...CONFIG, sources: [] }],
  ["a name", { ...CONFIG, sources: [{ ...FEED, name: "B" }] }],
  ["a weight", { ...CONFIG, sources: [{ ...FEED, weight: 2 }] }],
  ["a setting", { ...CONFIG, max_age_days: 3 }],
  ["a folder that does not exist", { ...CONFIG, help: { en: "nofolder" } }],
] as const)("a change of the configuration is %s", async ([, config]) => {
  const [atStart] = await changesAfter(undefined, config);
  expect(atStart).toBe(true);
});

it("a folder that is missing is looked for once, and read when it comes", async () => {
  const news = world.news({ help: { en: "help" } });
  expect(await news.hasChanged(true)).toBe(true);
  await news.refresh("full");
  expect(await Promise.all([news.hasChanged(true), news.hasChanged(false)])).toEqual([true, false]);
  await world.write("help/a.md", "# A");
  expect(await news.hasChanged(false)).toBe(true);
});
