import { expect, it } from "vitest";
import { createHostedAssistant } from "../../src/assistant/hosted-assistant.ts";
import { assistantInProcess } from "../../src/assistant/jobs/assistant-runner.ts";
import { silentLogger } from "../../src/runtime/logger.ts";

const now = Date.parse("2026-11-20T00:00:00Z");

it("quotes once what two items of a story say in the same words", async () => {
  const assistant = createHostedAssistant({ runner: assistantInProcess(), logger: silentLogger });
  const published_at = new Date(now).toISOString();
  const item = { kind: "news", title: "Quill fined by CFTC", text: "Quill was fined by the CFTC.", url: "" } as const;
  await assistant.learn(["a", "b"].map((id) => ({ ...item, id, lang: "en", published_at })));
  const asked = { question: "What happened with Quill?", history: [], research: false, refused: [], now };
  const { answer } = await assistant.prepare({ ...asked, about: ["a", "b"] });
  expect(answer?.text.match(/was fined/g)).toHaveLength(1);
});

it.each([
  ["en", "Why was Quill fined?", "Quill fined by CFTC over false statements", "The regulator says that it was misled."],
  ["zh", "Quill协议为什么被罚款？", "Quill协议因虚假陈述被罚款", "监管机构称其作出误导。"],
  ["zh", "Quill协议为什么暂停提现？", "Quill协议以审查为由暂停提现", "平台称资产安全。"],
] as const)(
  "answers in %s with the title where that says what is asked, not the summary: %s",
  async (lang, question, title, summary) => {
    const assistant = createHostedAssistant({ runner: assistantInProcess(), logger: silentLogger });
    const published_at = new Date(now).toISOString();
    await assistant.learn([{ id: "a", kind: "news", title, text: summary, url: "", lang, published_at }]);
    const asked = { question, history: [], research: false, refused: [], now, about: ["a"] };
    expect((await assistant.prepare(asked)).answer?.text).toBe(`${title}\n${summary}`);
  },
);

it("quotes the article that the operator named in the language that it has, if it lacks that of the question", async () => {
  const assistant = createHostedAssistant({ runner: assistantInProcess(), logger: silentLogger });
  const holidays = {
    id: "h",
    kind: "notice",
    title: "元旦休市安排",
    text: "1月1日至3日休市，4日起恢复。",
    url: "",
  } as const;
  const hours = { id: "o", kind: "help", title: "Opening hours", text: "The market opens at 9.", url: "" } as const;
  const published_at = new Date(now).toISOString();
  await assistant.learn([
    { ...holidays, lang: "zh", published_at },
    { ...hours, lang: "en", published_at },
  ]);
  const asked = { history: [], research: false, refused: [], now, about: ["h"] };
  const { answer } = await assistant.prepare({ ...asked, question: "Until when is the market closed at New Year?" });
  expect(answer).toMatchObject({ outcome: "answered", sources: [{ id: "h", lang: "zh" }] });
  expect(answer?.text).toMatch(/^\(quoted from an article in Chinese\)\n.*1月1日至3日休市/);
});
