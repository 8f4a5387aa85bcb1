import { describe, expect, it } from "vitest";
import type { Answer, AnswerRequest } from "../../src/assistant/answer.ts";
import { prepareAnswer } from "../../src/assistant/answering/answerer.ts";
import { periodOf } from "../../src/assistant/answering/period.ts";
import type { Passage } from "../../src/assistant/passage.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { routeQuestion } from "../../src/assistant/routing/router.ts";
import { passage } from "./passages.ts";

const NOW = Date.parse("2026-11-20T04:00:00Z"); // A Friday.

function report(id: string, at: string, outlet: string, title: string, part: Partial<Passage> = {}): Passage {
  return passage({ id, kind: "news", published_at: `2026-11-${at}:00:00Z`, outlet, title, text: title, ...part });
}

const NEWS = [
  report("a1", "20T02", "Block Harbor", "Bridge Tidepool loses 87 million dollars to an attacker", { topic: "t1" }),
  report("a2", "20T01", "Quayside Markets", "Attack empties the Tidepool bridge", { topic: "t1" }),
  report("a3", "19T22", "Block Harbor", "Tidepool under attack", { topic: "t1" }),
  report("b1", "19T20", "Northlight Brief", "Regulator publishes final rules for stablecoins", { topic: "t2" }),
  report("c1", "18T12", "Northlight Brief", "Miner Ridgeline buys its rival Cobalt", { symbols: ["BTC"] }),
  report("d1", "10T12", "Chainwire Daily", "Bitcoin fees fall to their lowest in a year", { symbols: ["BTC"] }),
  report("z1", "19T03", "提灯快讯", "跨链桥 Tidepool 遭攻击", { lang: "zh" }),
  passage({ id: "h1", title: "How to reach support", text: "Support answers in the app, day and night." }),
];
const index = new AnswerIndex(NEWS);

function ask(question: string, part: Partial<AnswerRequest> = {}, over = index): Answer {
  const routing = routeQuestion(question, { history: [] });
  return prepareAnswer({ question, routing, history: [], wide: false, now: NOW, ...part }, over).answer!;
}

const idsOf = ({ sources }: Answer): string[] => sources.map(({ id }) => id);

describe("answers from news", () => {
  it("name who reports what, and when; an event is told once, with its outlets", () => {
    const answer = ask("What is the latest news?");
    expect(answer.text.split("\n").slice(1)).toEqual([
      "Bridge Tidepool loses 87 million dollars to an attacker (Block Harbor, Quayside Markets, 20 November 2026)",
      "Regulator publishes final rules for stablecoins (Northlight Brief, 19 November 2026)",
      "Miner Ridgeline buys its rival Cobalt (Northlight Brief, 18 November 2026)",
      "Bitcoin fees fall to their lowest in a year (Chainwire Daily, 10 November 2026)",
    ]);
    expect(idsOf(answer)).toEqual(["a1", "a2", "b1", "c1", "d1"]);
    for (const { title, snippet } of answer.sources) expect(snippet).toBe(title);
  });

  it("do so in the reader's language and time zone", () => {
    expect(ask("最新资讯").text).toContain("跨链桥 Tidepool 遭攻击（提灯快讯，2026年11月19日）");
    expect(ask("What is the latest news?", { zone: "+08:00" }).text).toContain("(Northlight Brief, 20 November 2026)");
  });

  it("do so where an item is quoted on its subject", () => {
    const answer = ask("Which rival does the miner Ridgeline buy?");
    expect(answer.text).toContain("Miner Ridgeline buys its rival Cobalt (Northlight Brief, 18 November 2026)");
  });

  it.each([
    ["today's news", ["a1", "a2"]],
    ["what happened yesterday?", ["a3", "b1"]],
    ["news of the past three days", ["a1", "a2", "b1", "c1"]],
    ["what happened last Wednesday?", []],
    ["what happened on Wednesday?", ["c1"]],
    ["any bitcoin news last week?", ["d1"]],
    ["any bitcoin news today?", []],
  ])("are of the time that is asked for: %s", (question, ids) => {
    const answer = ask(question);
    if (ids.length > 0) expect([answer.outcome, idsOf(answer)]).toEqual(["answered", ids]);
    else expect([answer.outcome, answer.text.includes("from that time")]).toEqual(["unsure", true]);
  });

  it("of another day are no answer about a subject on that day", () => {
    expect(idsOf(ask("Did the miner Ridgeline buy a rival today?"))).not.toContain("c1");
  });

  it("say that there are none, without help articles and without a way back to the same question", () => {
    for (const question of ["any news about Tesla?", "any news on DOGE2?", "what is the news today"]) {
      const answer = ask(question, {}, new AnswerIndex([passage({ id: "h1", title: "Support", text: "By mail." })]));
      expect(answer).toMatchObject({ outcome: "declined", sources: [], routing: { route: "news" } });
      expect(answer.text).not.toMatch(/ask me/);
    }
  });
});

describe("questions for news of a company or a person", () => {
  const zh = (id: string, title: string): Passage => report(id, "19T03", "提灯快讯", title, { lang: "zh" });
  const over = new AnswerIndex([
    zh("binance", "币安将下架4种代币：包括FTT与REEF"),
    zh("tesla", "特斯拉召回13万辆Model Y，转向系统存隐患"),
    zh("okx", "OKX上线XPL现货交易"),
    zh("pboc", "中国央行下调存款准备金率0.5个百分点"),
    zh("boj", "日本央行加息至0.75%，为1995年以来最高"),
    zh("huawei", "华为Mate 80首销日售出80万台"),
    report("kwon", "19T04", "Block Harbor", "Do Kwon sentenced to 15 years in prison over Terra collapse"),
    report("intel", "19T05", "Block Harbor", "Intel names new chief financial officer"),
    report("apple", "19T06", "Block Harbor", "Apple settles antitrust suit with DOJ over App Store"),
    passage({ id: "h1", title: "How to turn on two-factor authentication", text: "Open Security in the app." }),
  ]);

  it.each([
    ["币安有什么新闻", "binance"],
    ["特斯拉最近怎么样", "tesla"],
    ["欧易有什么新闻", "okx"], // By another name.
    ["日本央行最新消息", "boj"],
    ["华为出什么事了", "huawei"],
    ["what happened to Do Kwon", "kwon"],
    ["any news on Intel?", "intel"],
  ])("are answered with its items alone: %s", (question, id) => {
    const answer = ask(question, {}, over);
    expect([answer.outcome, idsOf(answer)]).toEqual(["answered", [id]]);
  });

  it.each(["微软有什么新闻", "美联储出什么事了", "any news on Microsoft", "what's new with Samsung"])(
    "are told that there are none: %s",
    (question) => {
      expect(ask(question, {}, over)).toMatchObject({ outcome: "declined", sources: [], routing: { route: "news" } });
    },
  );

  it.each(["what's new with the app", "最新消息", "any updates on deposits"])(
    "are not those about the platform or nothing: %s",
    (question) => {
      expect(ask(question, {}, over).outcome).not.toBe("answered");
    },
  );
});

describe("words of time", () => {
  const isOf = (question: string, published_at: string): boolean | undefined =>
    periodOf(question, NOW, "+08:00")?.({ published_at });

  it.each([
    ["今天有什么新闻", "2026-11-19T16:00:00Z", "2026-11-19T15:59:00Z"],
    ["昨天发生了什么", "2026-11-18T16:00:00Z", "2026-11-19T16:00:00Z"],
    ["前天的新闻", "2026-11-17T16:00:00Z", "2026-11-18T16:00:00Z"],
    ["the day before yesterday", "2026-11-17T16:00:00Z", "2026-11-18T16:00:00Z"],
    ["本周要闻", "2026-11-15T16:00:00Z", "2026-11-15T15:00:00Z"],
    ["what happened last week", "2026-11-15T15:00:00Z", "2026-11-15T16:00:00Z"],
    ["上周五有什么新闻", "2026-11-13T04:00:00Z", "2026-11-20T03:00:00Z"],
    ["news from Tuesday", "2026-11-17T04:00:00Z", "2026-11-18T04:00:00Z"],
    ["last weekend", "2026-11-14T04:00:00Z", "2026-11-16T04:00:00Z"],
    ["过去24小时", "2026-11-19T05:00:00Z", "2026-11-19T03:00:00Z"],
    ["最近两周的新闻", "2026-11-07T00:00:00Z", "2026-11-05T00:00:00Z"],
    ["in the last 9 hours", "2026-11-19T20:00:00Z", "2026-11-19T18:00:00Z"],
    ["大前天的新闻", "2026-11-16T16:00:00Z", "2026-11-17T16:00:00Z"],
    ["3 days ago", "2026-11-16T16:00:00Z", "2026-11-17T16:00:00Z"],
    ["上上周五的新闻", "2026-11-06T04:00:00Z", "2026-11-13T04:00:00Z"],
    ["news last month", "2026-10-31T15:00:00Z", "2026-11-01T04:00:00Z"],
    ["今年的新闻", "2026-01-02T00:00:00Z", "2025-12-30T00:00:00Z"],
    ["news since Wednesday", "2026-11-20T03:00:00Z", "2026-11-17T04:00:00Z"],
    ["yesterday and today", "2026-11-20T03:00:00Z", "2026-11-18T04:00:00Z"],
    ["11月18日有什么新闻", "2026-11-18T04:00:00Z", "2026-11-19T04:00:00Z"],
    ["news on 18 November", "2026-11-18T04:00:00Z", "2026-11-19T04:00:00Z"],
    ["what happened on November 21?", "2025-11-21T04:00:00Z", "2026-11-20T03:00:00Z"],
  ])("%s", (question, inside, outside) => {
    expect([isOf(question, inside), isOf(question, outside)]).toEqual([true, false]);
  });

  it("are none in other questions", () => {
    for (const question of ["最近有什么新闻", "latest news", "日元", "a week-old order"])
      expect(periodOf(question, NOW), question).toBeUndefined();
  });
});

describe("news of a field of business", () => {
  const FIELDS = new AnswerIndex([
    report("f1", "20T01", "基金报", "多只基金下调费率", { lang: "zh" }),
    report("f2", "19T01", "基金报", "互联网保险投诉上升", { lang: "zh" }),
    report("f3", "18T01", "基金报", "降准落地", { lang: "zh" }),
    report("e1", "20T01", "Wire", "UK insurance premiums fall"),
    report("e2", "19T01", "Wire", "Central bank cuts rates"),
    passage({ id: "h1", lang: "zh", title: "保险理赔怎么申请", text: "在 App 内申请保险理赔。" }),
  ]);

  it.each([
    ["最近基金圈有啥大事", "f1"],
    ["最近基金圈有什么大事", "f1"],
    ["基金圈最近有什么新闻", "f1"],
    ["保险行业最近有什么消息", "f2"],
    ["any news on the insurance industry", "e1"],
    ["what's new in the insurance sector", "e1"],
  ])("is what names the field: %s", (question, id) => {
    expect(idsOf(ask(question, {}, FIELDS))).toEqual([id]);
  });

  it.each([
    ["家电行业最近有什么新闻", "没有资讯的标题直接提到", ["f1", "f2", "f3"]],
    ["any news on the toy industry", "No headline names", ["e1", "e2"]],
  ] as const)("is the latest of all, for free, where none names it: %s", (question, says, ids) => {
    const answer = ask(question, {}, FIELDS);
    expect(answer.outcome).toBe("unsure");
    expect(answer.text).toContain(says);
    expect(idsOf(answer)).toEqual(ids);
  });
});
