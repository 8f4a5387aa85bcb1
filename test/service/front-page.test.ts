import { writeFile } from "node:fs/promises";
import { toTraditional } from "../../src/language/to-traditional.ts";
import { isTraditional } from "../../src/language/traditional.ts";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { openHeadlines } from "../support/headlines.ts";
import { openFixtureService } from "../support/service.ts";

it.each([
  ["which is not there", undefined, "cannot be read (ENOENT)"],
  ["which is not JSON", "questions: []", " is not JSON: Unexpected token"],
  ["which is empty", "", " is not JSON: Unexpected end of JSON input"],
  ["which is another JSON", "[]", ": the JSON: must be an object, not an array"],
  ["without the list", "{}", ": questions: is required"],
  ["with another field", '{"questions":[],"lang":"en"}', ": lang: is not a known key. Known keys: questions"],
  [
    "with a question that lacks a language",
    '{"questions":[{"scene":"home","order_index":1,"zh":"问？"}]}',
    ": questions.0.en: is required",
  ],
])("does not start with a file of recommended questions %s", async (_, text, message) => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const file = join(folder.path, "questions.json");
  if (text !== undefined) await writeFile(file, text);
  const opened = openFixtureService({ flags: { "assistant.questions": file }, refresh: false });
  await expect(opened).rejects.toThrow(expect.objectContaining({ name: "ConfigError" }));
  await expect(opened).rejects.toThrow(`assistant.questions: ${file}`);
  await expect(opened).rejects.toThrow(message);
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

it("answers a recommended question from the operator's article for it, in either script, and from others if it is gone", async () => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const file = join(folder.path, "questions.json");
  const listed = [
    {
      scene: "home",
      order_index: 1,
      zh: "团队怎么共用一个账户？",
      en: "How does a team share one account?",
      article: "help-sub-accounts",
    },
    { scene: "home", order_index: 2, zh: "现货手续费？", en: "How often is funding paid?", article: "gone" },
  ];
  await writeFile(file, JSON.stringify({ questions: listed }));
  const { service } = await openFixtureService({ flags: { "assistant.questions": file } });
  const ask = async (question: string) => {
    const body = { question };
    const { data } = await service.run("sendChat", { request_id: question, user: "demo" }, { body });
    return [data.source_items[0]?.id, data.source_items[0]?.lang, data.route, data.answer.startsWith("I am not sure")];
  };
  expect(await ask("How does a team share one account?")).toEqual(["help-sub-accounts", "en", "help", false]);
  expect(await ask("團隊怎麼共用一個賬戶？")).toEqual(["help-sub-accounts", "zh", "help", false]);
  expect((await ask("How often is funding paid?"))[0]).toBe("help-funding-rate");
});

it("fills recommended questions up from all topics", async () => {
  const names = Array.from("甲乙丙丁戊己庚辛壬癸子丑寅卯", (name) => `${name}${name}币`);
  const { service, close } = await openHeadlines("zh", [names.map((name) => `${name}为何突然火了？`)]);
  await service.news.refresh("view");
  const query = { scene: "news", lang: "zh", limit: 20 };
  const { data } = await service.run("getRecommendedQuestions", { request_id: "r" }, { query });
  const contents = data.questions.map(({ content }) => content);
  expect(contents).toHaveLength(20);
  expect(names.filter((name) => !contents.includes(`${name}为何突然火了？`))).toEqual([]);
  await close();
});

it("recommends what the file has where the topics cannot be read", async () => {
  const { service } = await openFixtureService({ refresh: false });
  const { data } = await service.run("getRecommendedQuestions", { request_id: "r" }, { query: { limit: 20 } });
  expect(data.questions.length).toBeGreaterThan(2);
});

it("writes what it shows in Traditional Chinese where that is asked for, and quotes as it stands", async () => {
  const { service } = await openFixtureService();
  const run = async (lang: string) => {
    const call = { request_id: "r" };
    const [questions, topics, hot] = await Promise.all([
      service.run("getRecommendedQuestions", call, { query: { lang, limit: 6 } }),
      service.run("getNewsTopics", call, { query: { lang, limit: 3 } }),
      service.run("getHotTopics", call, { query: { lang, limit: 3 } }),
    ]);
    return { questions: questions.data, topics: topics.data.topics, hot: hot.data.topics };
  };
  const [simplified, traditional] = [await run("zh"), await run("zh-TW")];
  expect(simplified.questions.questions[0]!.content).toBe("什么是 AI 积分？");
  expect(traditional.questions.questions[0]!.content).toBe("什麼是 AI 積分？");
  for (const [at, topic] of traditional.topics.entries()) {
    const { title, question_suggestions, ...same } = simplified.topics[at]!;
    expect(topic).toMatchObject(same);
    expect([topic.title, ...topic.question_suggestions]).toEqual(
      [title, ...question_suggestions].map((text) => toTraditional(text, "tw")),
    );
  }
  expect(traditional.hot.map(({ topic }) => topic)).toEqual(
    simplified.hot.map(({ topic }) => toTraditional(topic, "tw")),
  );
  const ask = async (question: string) =>
    (await service.run("sendChat", { request_id: "r", user: "demo" }, { body: { question } })).data;
  const [one, other] = [await ask("提币要多久到账？"), await ask("提幣要多久到賬？")];
  expect(isTraditional(one.answer)).toBe(false);
  expect([other.answer, other.source_items]).toEqual([toTraditional(one.answer, "tw"), one.source_items]);
});

it.each(["zh-TW", "zh-HK"])("shows hot questions in %s as its readers write", async (lang) => {
  const { service } = await openFixtureService({ flags: { "hot_questions.min_users": 1 } });
  const run = async (tag: string) =>
    (await service.run("getHotTopics", { request_id: "r" }, { query: { lang: tag, limit: 50, days: 30 } })).data;
  const script = lang === "zh-TW" ? "tw" : "hk";
  const shown = (await run("zh")).user_hot_questions;
  expect(shown.some(({ question }) => toTraditional(question, script) !== question)).toBe(true);
  const written = shown.map((each) => ({ ...each, question: toTraditional(each.question, script) }));
  expect((await run(lang)).user_hot_questions).toEqual(written);
});

it("shows the hot questions in the language asked for first, each part the hottest first", async () => {
  const { service } = await openFixtureService({ flags: { "hot_questions.min_users": 1 } });
  const run = async (lang: string, limit: number) => {
    const query = { lang, limit, days: 30 };
    return (await service.run("getHotTopics", { request_id: "r" }, { query })).data.user_hot_questions;
  };
  for (const [lang, tag] of [
    ["en", "en-GB"],
    ["zh", "zh-TW"],
  ] as const) {
    const all = await run(tag, 50);
    const own = all.filter((question) => question.lang === lang);
    expect(own.length).toBeGreaterThan(2);
    expect(own.length).toBeLessThan(all.length);
    expect(all.slice(0, own.length)).toEqual(own);
    expect(await run(tag, 3)).toEqual(own.slice(0, 3));
    for (const part of [own, all.slice(own.length)])
      expect(part.map(({ count }) => count)).toEqual(part.map(({ count }) => count).sort((a, b) => b - a));
  }
});
