import { expect, it } from "vitest";
import { assistantInProcess } from "../../src/assistant/jobs/assistant-runner.ts";
import { createHostedAssistant } from "../../src/assistant/hosted-assistant.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { createGroundedSuggestions } from "../../src/service/grounded-suggestions.ts";
import { openFixtureService } from "../support/service.ts";

it.each(["zh", "en"])("suggests in %s only questions that the assistant answers from the topic", async (lang) => {
  const { service } = await openFixtureService();
  const { data } = await service.run("getNewsTopics", { request_id: "r" }, { query: { limit: 50, lang } });
  const suggested = data.topics.flatMap((topic) => topic.question_suggestions.map((question) => ({ question, topic })));
  expect(data.topics.filter(({ question_suggestions }) => question_suggestions.length === 0)).toEqual([]);
  for (const { question, topic } of suggested) {
    const answer = await service.run("sendChat", { request_id: "r", user: "demo" }, { body: { question } });
    const ids = topic.items.map(({ id }) => id);
    expect(ids, question).toContain(answer.data.source_items[0]?.id);
  }
});

it("suggests the same questions of the topics that a filter leaves", async () => {
  const { service } = await openFixtureService();
  const ask = async (query: object) =>
    (await service.run("getNewsTopics", { request_id: "r" }, { query: { limit: 50, lang: "zh", ...query } })).data;
  const all = (await ask({})).topics.filter(({ items }) => items.some(({ symbols }) => symbols.includes("BTC")));
  expect(all.length).toBeGreaterThan(1);
  expect((await ask({ symbol: "BTC" })).topics).toEqual(all);
  expect((await ask({ symbol: "BTC", limit: 1 })).total).toBe(all.length);
});

it("gives the same object again as long as nothing changed", async () => {
  const { service } = await openFixtureService();
  const ask = () => service.run("getNewsTopics", { request_id: "r" }, { query: { limit: 5, lang: "en" } });
  expect((await ask()).data).toBe((await ask()).data);
});

it("tries again after a failure instead of remembering it", async () => {
  const { service, clock } = await openFixtureService();
  const assistant = createHostedAssistant({ runner: assistantInProcess(), logger: silentLogger });
  await assistant.learn([]);
  let failures = 0;
  const knowledge = { ready: () => (failures++ === 0 ? Promise.reject(new Error("not now")) : Promise.resolve(1)) };
  const suggestions = createGroundedSuggestions({ assistant, knowledge, clock });
  const list = await service.news.topics({ limit: 1, lang: "en" });
  await expect(suggestions.first(list, "en", 1)).rejects.toThrow("not now");
  expect((await suggestions.first(list, "en", 1)).total).toBe(list.total);
});
