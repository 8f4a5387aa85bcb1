import { expect, it } from "vitest";
import { assistantInProcess } from "../../src/assistant/jobs/assistant-runner.ts";
import { createHostedAssistant } from "../../src/assistant/hosted-assistant.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { createGroundedSuggestions } from "../../src/service/grounded-suggestions.ts";
import { openHeadlines } from "../support/headlines.ts";
import { openFixtureService } from "../support/service.ts";

it.each(["zh", "en"])("suggests in %s only questions that the assistant answers from the topic", async (lang) => {
  const { service } = await openFixtureService();
  const { data } = await service.run("getNewsTopics", { request_id: "r" }, { query: { limit: 50, lang } });
  const suggested = data.topics.flatMap((topic) => topic.question_suggestions.map((question) => ({ question, topic })));
  expect(data.topics.filter(({ question_suggestions }) => question_suggestions.length === 0)).toEqual([]);
  const all = suggested.map(({ question }) => question);
  expect(all.filter((question, at) => all.indexOf(question) !== at)).toEqual([]); // Else one is answered from another topic.
  for (const { question, topic } of suggested) {
    const answer = await service.run("sendChat", { request_id: "r", user: "demo" }, { body: { question } });
    const ids = topic.items.map(({ id }) => id);
    // The platform's own notice of the event may come first.
    const [source] = answer.data.source_items.filter(({ kind }) => kind !== "notice");
    expect(ids, question).toContain(source?.id);
  }
});

it("answers a suggested question from its topic, whichever service is asked, with the headline", async () => {
  const { service } = await openFixtureService();
  const ask = async (question: string) =>
    (await service.run("sendChat", { request_id: question, user: "demo" }, { body: { question } })).data;
  // Nobody has asked this service for the topics yet.
  const suggested = await ask("Why did ORCH jump?");
  expect(suggested.answer).toContain("ORCH jumps 18% as Orchard begins to share lending fees");
  expect(suggested.source_items.every(({ kind }) => kind === "news")).toBe(true);
  // Another question with the same words is answered by what is nearest in all content.
  expect((await ask("Why jump for ORCH?")).answer).not.toBe(suggested.answer);
});

it.each(["zh-TW", "zh-HK"])("answers all suggested questions in %s from their topics as well", async (lang) => {
  const { service } = await openFixtureService();
  const { data } = await service.run("getNewsTopics", { request_id: "r" }, { query: { limit: 50, lang } });
  const suggested = data.topics.flatMap((topic) => topic.question_suggestions.map((question) => ({ question, topic })));
  expect(suggested.filter(({ question }) => question.includes("鳴")).length).toBeGreaterThan(0);
  for (const { question, topic } of suggested) {
    const answer = await service.run("sendChat", { request_id: "q", user: "demo" }, { body: { question } });
    const ids = topic.items.map(({ id }) => id);
    expect(answer.data.source_items.length, question).toBeGreaterThan(0);
    expect(
      answer.data.source_items.filter(({ id }) => !ids.includes(id)),
      question,
    ).toEqual([]);
  }
});

it.each(["zh", "en"])("suggests in %s two questions about nearly every topic", async (lang) => {
  const { service } = await openFixtureService();
  const { data } = await service.run("getNewsTopics", { request_id: "r" }, { query: { limit: 50, lang } });
  const counts = data.topics.map(({ question_suggestions: { length } }) => length);
  expect(counts.filter((count) => count < 2).length / counts.length).toBeLessThanOrEqual(0.1);
});

it.each(["zh", "en"])("suggests in %s questions about what happened, not just about headlines", async (lang) => {
  const { service } = await openFixtureService();
  const { data } = await service.run("getNewsTopics", { request_id: "r" }, { query: { limit: 50, lang } });
  const all = data.topics.flatMap(({ question_suggestions: questions, items }) =>
    questions.map((question) => items.some(({ title }) => question.includes(title))),
  );
  expect(all.filter((isOfHeadline) => isOfHeadline).length / all.length).toBeLessThanOrEqual(0.125);
});

const HEADLINES = {
  en: [
    ["Justin Sun's TRON pays $10 million to settle with SEC", "Justin Sun's TRON settles with SEC"],
    ["BREAKING: Binance halts SOL withdrawals", "Binance suspends withdrawals of SOL"],
    ["Fed raises rates by 25 bps", "Fed lifts interest rates by 25 basis points"],
    ["McDonald's outage hits Tokyo stores", "Outage hits McDonald's stores in Tokyo"],
  ],
  zh: [
    ["币安暂停SOL提现", "币安宣布暂停 SOL 提现"],
    ["美联储宣布加息25个基点", "美联储加息25个基点，符合预期"],
    ["某交易所被盗5000万美元", "交易所遭黑客盗走5000万美元"],
  ],
} as const;

const ASKED = {
  en: [
    "By how much did the Fed lift interest rates?",
    "How much did Justin Sun's TRON pay?",
    "What did Binance suspend?",
    "What do we know about McDonald's outage?",
    "What happened with Binance?",
    "What happened with McDonald's outage?",
    "What happened with the Fed?",
    "Who did Justin Sun's TRON settle with?",
  ],
  zh: [
    "交易所怎么了？",
    "交易所遭黑客盗走多少美元？",
    "币安怎么了？",
    "币安暂停了什么？",
    "美联储加息多少个基点？",
    "美联储怎么了？",
  ],
};

it.each(["zh", "en"] as const)(
  "suggests in %s questions about each topic of mere headlines, all answered",
  async (lang) => {
    const feeds = [0, 1].map((n) => HEADLINES[lang].map(([...of]) => of[n]!));
    const { service, close } = await openHeadlines(lang, feeds);
    await service.news.refresh("view");
    const { data } = await service.run("getNewsTopics", { request_id: "r" }, { query: { limit: 50, lang } });
    expect(data.topics.length).toBeGreaterThan(1);
    expect(data.topics.flatMap(({ question_suggestions: questions }) => questions).sort()).toEqual(ASKED[lang]);
    expect(data.topics.filter(({ question_suggestions }) => question_suggestions.length === 0)).toEqual([]);
    await close();
  },
);

it("suggests two questions about each topic, of its headline where nothing is named", async () => {
  const titles = ["How a teenager stole $240 million in bitcoin", "Bitcoin: the end of a cycle?", "BTC falls"];
  const { service, close } = await openHeadlines("en", [titles, titles]);
  await service.news.refresh("view");
  const { data } = await service.run("getNewsTopics", { request_id: "r" }, { query: { limit: 50, lang: "en" } });
  const counts = data.topics.map(({ title, question_suggestions: { length } }) => [title, Math.min(length, 2)]);
  expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(titles.map((title) => [title, 2])));
  await close();
});

it.each([
  ["en", ["Why the yen keeps falling", "Morning briefing", "The week ahead"]],
  ["zh", ["为什么黄金又涨了", "恐慌与贪婪指数今日为28", "币安将于12月5日升级钱包", "币安将于12月9日升级钱包"]],
] as const)("suggests in %s two questions where a headline asks or names nothing", async (lang, titles) => {
  const { service, close } = await openHeadlines(lang, [titles, titles]);
  await service.news.refresh("view");
  const { data } = await service.run("getNewsTopics", { request_id: "r" }, { query: { limit: 50, lang } });
  const counts = data.topics.map(({ title, question_suggestions: { length } }) => [title, length]);
  expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(titles.map((title) => [title, 2])));
  expect(data.topics.flatMap((topic) => topic.question_suggestions)).not.toContain("恐慌怎么了？");
  await close();
});

it("quotes a mere headline once, and charges it unless the question quotes it itself", async () => {
  const { service, close } = await openHeadlines("en", [["Halden launches a card"], ["Halden launches a card"]]);
  await service.news.refresh("view");
  const ask = async (question: string) =>
    (await service.run("sendChat", { request_id: question, user: "bob" }, { body: { question } })).data;
  const { answer } = await ask("What happened with Halden?");
  expect(answer.split("Halden launches a card")).toHaveLength(2);
  const used = async () => (await service.run("getMe", { request_id: "r", user: "bob" }, {})).data.free_daily_used;
  expect(await used()).toBe(1);
  await ask('What is the news about "Halden launches a card"?');
  expect(await used()).toBe(1);
  await ask("What did Halden launch?");
  expect(await used()).toBe(2);
  await close();
});

it("shows the list of a refresh at once when that has ended", async () => {
  const runner = assistantInProcess();
  let isBusy = false; // Then no question is looked up any more.
  const run: typeof runner.run = (name, ...rest) =>
    isBusy && name === "answered" ? new Promise(() => undefined) : runner.run(name, ...rest);
  const { service, write, close } = await openHeadlines("en", [["Halden launches a card"]], { ...runner, run });
  const titles = async (): Promise<string[]> => {
    const { data } = await service.run("getNewsTopics", { request_id: "r" }, { query: { limit: 50, lang: "en" } });
    return data.topics.map(({ title, question_suggestions: { length } }) => `${title}: ${length}`);
  };
  await service.run("refreshNews", { request_id: "r" }, { query: {} });
  expect(await titles()).toEqual(["Halden launches a card: 2"]);
  await write(0, ["Brightwater opens an office in Poland", "Halden launches a card"]);
  await service.run("refreshNews", { request_id: "r" }, { query: {} });
  isBusy = true;
  expect((await titles()).sort()).toEqual(["Brightwater opens an office in Poland: 2", "Halden launches a card: 2"]);
  await close();
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
  const newest = () => (failures++ === 0 ? Promise.reject(new Error("not now")) : Promise.resolve(1));
  const knowledge = { ready: newest, newest };
  const suggestions = createGroundedSuggestions({ assistant, knowledge, clock, news: service.news, questions: [] });
  const list = await service.news.topics({ limit: 1, lang: "en" });
  await expect(suggestions.first(list, "en", 1)).rejects.toThrow("not now");
  expect((await suggestions.first(list, "en", 1)).total).toBe(list.total);
});
