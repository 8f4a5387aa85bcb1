import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { openFixtureService } from "../support/service.ts";

it("looks for the recommended questions again when they could not be read", async () => {
  const folder = await temporaryFolder();
  const file = join(folder.path, "questions.json");
  const { service } = await openFixtureService({ flags: { "assistant.questions": file }, refresh: false });
  const ask = () => service.run("getRecommendedQuestions", { request_id: "r" }, { query: { limit: 1 } });
  await expect(ask()).rejects.toThrow("ENOENT");
  await writeFile(file, JSON.stringify({ questions: [{ scene: "home", order_index: 1, zh: "问？", en: "Why?" }] }));
  expect((await ask()).data.questions).toEqual([{ content: "问？", order_index: 1 }]);
  await folder.remove();
});

it.each(["zh", "en"])("fills recommended questions in %s up with answered ones about the topics", async (lang) => {
  const { service } = await openFixtureService();
  const ask = async (id: "getRecommendedQuestions", limit: number) =>
    (await service.run(id, { request_id: "r" }, { query: { scene: "news", lang, limit } })).data.questions;
  const { data } = await service.run("getNewsTopics", { request_id: "r" }, { query: { limit: 10, lang } });
  const suggested = data.topics.flatMap(({ question_suggestions }) => question_suggestions);
  const all = await ask("getRecommendedQuestions", 20);
  const contents = all.map(({ content }) => content);
  expect(all).toHaveLength(20);
  expect(new Set(contents).size).toBe(20);
  expect(contents.filter((content) => suggested.includes(content)).length).toBeGreaterThan(5);
  expect(all.map(({ order_index }) => order_index)).toEqual(all.map((_, at) => all[0]!.order_index + at));
  expect(await ask("getRecommendedQuestions", 2)).toEqual(all.slice(0, 2));
});

it("recommends what the file has where the topics cannot be read", async () => {
  const { service } = await openFixtureService({ refresh: false });
  const { data } = await service.run("getRecommendedQuestions", { request_id: "r" }, { query: { limit: 20 } });
  expect(data.questions.length).toBeGreaterThan(2);
});
