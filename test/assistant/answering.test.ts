import { describe, expect, it } from "vitest";
import { answerMarket } from "../../src/assistant/answering/replies.ts";
import type { Answer, AnswerRequest } from "../../src/assistant/answer.ts";
import { prepareAnswer } from "../../src/assistant/answering/answerer.ts";
import type { Passage } from "../../src/assistant/passage.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { routeQuestion } from "../../src/assistant/routing/router.ts";
import { plainText } from "../../src/language/plain-text.ts";
import { EXCHANGE, NOW } from "./exchange.ts";
import { passage } from "./passages.ts";

const index = new AnswerIndex(EXCHANGE);

function ask(question: string, part: Partial<AnswerRequest> = {}, over = index): Answer {
  const history = part.history ?? [];
  const routing = routeQuestion(question, { history });
  return prepareAnswer({ question, routing, history, wide: false, now: NOW, ...part }, over).answer!;
}

function over(...passages: Passage[]): typeof index {
  return new AnswerIndex(passages);
}

/** Whether every line of the answer stands in the sources, and every snippet in the answer. */
function expectVerbatim(answer: Answer, passages: readonly Passage[] = EXCHANGE): void {
  const texts = passages.map(({ title, text }) => `${title}\n${plainText(text)}`.replaceAll(/\s+/g, " "));
  for (const line of answer.text.split("\n").filter((part) => part !== "")) {
    expect(
      texts.some((text) => text.includes(line)),
      line,
    ).toBe(true);
  }
  for (const { snippet } of answer.sources) expect(answer.text).toContain(snippet);
}

describe("grounded answers", () => {
  it("quote whole sentences of the article that answers, with its source", () => {
    const answer = ask("USDT 提现手续费是多少？");
    expect(answer).toMatchObject({ outcome: "answered", model_name: "local-extractive" });
    expect(answer.text).toContain("USDT 的提现手续费：TRC-20 网络每笔 1 USDT，ERC-20 网络每笔 4 USDT。");
    expect(answer.sources).toEqual([
      {
        id: "withdraw-fee",
        kind: "help",
        title: "提现手续费是多少",
        url: "https://exchange.example/zh/help/withdraw-fee",
        lang: "zh",
        published_at: "2026-11-01T00:00:00Z",
        snippet: answer.text,
      },
    ]);
    expectVerbatim(answer);
  });

  it.each([
    ["提现手续费多少", "withdraw-fee", "zh"],
    ["提幣要多久到賬？", "withdraw-time", "zh"],
    ["How do I top up? I want to deposit crypto", "deposit", "en"],
    ["KYC 有哪些等级", "kyc", "zh"],
    ["卖家不放币怎么办", "p2p", "zh"],
    ["What are the KYC levels?", "kyc", "en"],
  ])("to %j come from %s in %s", (question, id, lang) => {
    const answer = ask(question);
    expect(answer.outcome).toBe("answered");
    expect(answer.sources[0]).toMatchObject({ id, lang });
    expectVerbatim(answer);
  });

  it("are at least shown for a word that may mean another thing here", () => {
    const answer = ask("提币手续费多少");
    expect(["answered", "unsure"]).toContain(answer.outcome);
    expect(answer.sources[0]).toMatchObject({ id: "withdraw-fee", lang: "zh" });
  });

  it("are found for a misspelt question", () => {
    const answer = ask("how long does a withdrawl take");
    expect(answer.outcome).toMatch(/^(?:answered|unsure)$/);
    expect(answer.sources[0]).toMatchObject({ id: "withdraw-time", lang: "en" });
  });

  it("are the same every time", () => {
    expect(ask("提现多久到账")).toEqual(ask("提现多久到账"));
  });

  it("have no markup and no cut sentence", () => {
    const marked = passage({
      title: "How to reset a password",
      text: "<p>To reset a password, open <b>Settings</b>.</p><ul><li>Choose <a href='/x'>Reset password</a> and follow the mail.</li></ul>",
    });
    const answer = ask("How do I reset my password?", {}, over(marked));
    expect(answer.text).toBe("To reset a password, open Settings.\n- Choose Reset password and follow the mail.");
  });

  it("bring the sentence that a quoted one leans on", () => {
    const leaning = passage({
      text: "Three wrong codes lock a card. It is unlocked by support within 2 hours after a request by mail. Bring a pen.",
    });
    const answer = ask("When is it unlocked by support after a request by mail?", {}, over(leaning));
    expect(answer.text).toBe(leaning.text);
  });

  it("follow the question before when the new one is elliptical", () => {
    for (const [before, id] of [
      ["怎么充值 USDT？", "deposit"],
      ["怎么提现 USDT？", "withdraw-fee"],
    ] as const) {
      const answer = ask("那手续费呢？", { history: [{ question: before, answer: "…" }] });
      expect(answer.sources[0]?.id).toBe(id);
    }
  });

  it("quote several passages in sections when wide", () => {
    const narrow = ask("提现");
    const wide = ask("深度分析一下提现手续费", { wide: true });
    expect(wide.sources.length).toBeGreaterThan(1);
    expect(wide.text).toContain("提现手续费是多少\n");
    expect(wide.text).toContain("\n\n");
    expect(wide.text.length).toBeGreaterThan(narrow.text.length);
    expectVerbatim(wide);
  });

  it("are found for what seemed out of scope, and then say so in their routing", () => {
    const odd = passage({
      title: "Whale watching",
      text: "Whale watching tours of the crew start on Mondays at nine.",
    });
    const question = "When do whale watching tours start?";
    const answer = ask(question, {}, over(odd));
    expect(routeQuestion(question, { history: [] }).route).toBe("out_of_scope");
    expect(answer).toMatchObject({ outcome: "answered", routing: { route: "help", sub_intent: "general" } });
  });
});

describe("articles in HTML", () => {
  const steps = passage({
    title: "How to set up a passkey",
    text: "<p>You need the app.</p>\n<ol>\n<li><p>Open <b>Security</b>.</p></li>\n<li><p>Choose <i>Passkeys</i>.</p></li>\n</ol>",
  });
  const row = (coin: string, network: string, fee: string): string =>
    `<tr><td>${coin}</td><td>${network}</td><td>${fee}</td></tr>`;
  const fees = ["BTC", "ETH", "SOL", "XRP", "ADA", "DOT", "LTC"].map((coin, at) => row(coin, "own", `0.${at + 1}`));
  const table = passage({
    id: "fees",
    title: "Withdrawal fees",
    text: `<table><thead>${row("Coin", "Network", "Fee").replaceAll("td>", "th>")}</thead>${fees.join("\n")}</table>`,
  });

  it("are quoted with the numbers of their steps", () => {
    expect(ask("How do I set up a passkey?", {}, over(steps)).text).toContain("1. Open Security.\n2. Choose Passkeys.");
  });

  it("are quoted by the row of the table that is asked for", () => {
    const answer = ask("What is the withdrawal fee of XRP?", {}, over(table, steps));
    expect(answer.text).toBe("| Coin | Network | Fee |\n| XRP | own | 0.4 |");
  });
});

describe("both languages", () => {
  it("are one library: an article in the other one is quoted, and said to be so", () => {
    const chinese = new AnswerIndex(EXCHANGE.filter(({ lang }) => lang === "zh"));
    const answer = ask("What is the withdrawal fee for USDT?", {}, chinese);
    expect(answer.outcome).toMatch(/^(?:answered|unsure)$/);
    expect(answer.sources[0]).toMatchObject({ id: "withdraw-fee", lang: "zh" });
    expect(answer.text).toMatch(/^\(quoted from an article in Chinese\)\n/m);
  });

  it("prefer the question's own", () => {
    expect(ask("What is the withdrawal fee for USDT?").sources[0]).toMatchObject({ lang: "en" });
  });
});

describe("what the passages do not answer", () => {
  it.each([
    ["如何申请企业账户的做市商返佣？", /^抱歉/],
    ["How do I create a sub-account for my company?", /^Sorry/],
  ])("gets an honest reply in the question's language: %s", (question, opening) => {
    const answer = ask(question);
    expect(answer).toMatchObject({ outcome: "declined", sources: [] });
    expect(answer.text).toMatch(opening);
    expect(answer.text).not.toMatch(/fallback|undefined|null|error|debug|score|passage|model/i);
  });

  it("gets an honest reply from an empty index, on every route", () => {
    const empty = over();
    for (const question of ["怎么提现", "最近有什么公告", "今天有什么新闻", "what is on TV tonight"]) {
      const answer = ask(question, {}, empty);
      expect(answer).toMatchObject({ outcome: "declined", sources: [] });
      expect(answer.text.length).toBeGreaterThan(10);
    }
  });
});

describe("news and notices", () => {
  it("are listed newest first, once a story, none from the future", () => {
    const answer = ask("What is the latest crypto news?", {}, new AnswerIndex(EXCHANGE.toReversed()));
    expect(answer.text.split("\n")).toEqual([
      "The latest news:",
      "Bitcoin climbs above $105,000",
      "Tidepool bridge exploited for $87 million",
    ]);
    expect(answer.sources.map(({ id }) => id)).toEqual(["w1", "w2"]);
    const early = ask("What is the latest crypto news?", { now: Date.parse("2026-11-18T12:00:00Z") });
    expect(early.text).not.toContain("Bitcoin climbs above $105,000\n");
  });

  it("about an asset are those of the asset", () => {
    const answer = ask("比特币有什么新闻");
    expect(answer.sources.map(({ id }) => id)).toEqual(["w1"]);
    const looked = ask("有什么最新新闻", { token_symbol: "eth" });
    expect(looked.sources.map(({ id }) => id)).toEqual(["w2", "w3"]);
  });

  it("with a subject of their own are quoted on it", () => {
    const answer = ask("Tidepool 跨链桥被攻击损失了多少？");
    expect(answer.text).toContain("攻击者从 Tidepool 合约转走约 8700 万美元。");
    expectVerbatim(answer);
  });

  it("of a kind are the newest notices of that kind", () => {
    const answer = ask("最近上线了什么新币？");
    expect(answer.sources.map(({ id }) => id)).toEqual(["n1", "n2"]);
    expectVerbatim(answer);
  });

  it("that do not exist are not made up", () => {
    const answer = ask("火星殖民计划有什么新闻");
    expect(answer).toMatchObject({ outcome: "declined", sources: [] });
  });
});

describe("the market", () => {
  const market = {
    dominant: "negative",
    positive: 2,
    neutral: 5,
    negative: 9,
    index: 22,
    hot: ["Tidepool exploit", "ETF flows"],
  } as const;

  it("is left to the service, which has the figures", () => {
    const routing = routeQuestion("现在市场情绪怎么样", { history: [] });
    const request = { question: "现在市场情绪怎么样", routing, history: [], wide: false, now: NOW };
    expect(prepareAnswer(request, index).answer).toBeUndefined();
  });

  it("is described by its figures", () => {
    expect(answerMarket("sentiment", market, "zh", false).text).toBe(
      "近期资讯中积极 2 条、中性 5 条、消极 9 条，整体情绪偏消极。恐惧与贪婪指数为 22，属于极度恐惧。",
    );
    expect(answerMarket("sentiment", { ...market, index: null }, "en", false).text).toBe(
      "The overall mood of recent news is negative: 2 positive, 5 neutral and 9 negative items.",
    );
  });

  it("lists its hot topics", () => {
    expect(answerMarket("hot_topics", market, "en", false).text).toBe("Hot topics now:\nTidepool exploit\nETF flows");
  });

  it("has no prices and says so", () => {
    expect(answerMarket("price", market, "en", false).known).toBe(false);
  });
});

describe("small talk and what is out of scope", () => {
  it.each([
    ["你好", true],
    ["thank you", true],
    ["你能做什么", true],
    ["should I buy bitcoin?", false],
    ["明天天气怎么样", false],
  ])("%s gets a short reply without sources", (question, isAnswered) => {
    const answer = ask(question);
    expect(answer).toMatchObject({
      outcome: isAnswered ? "answered" : "declined",
      sources: [],
      model_name: "local-extractive",
    });
    expect(/\p{Script=Han}/u.test(answer.text)).toBe(/\p{Script=Han}/u.test(question));
    expect(answer.text.length).toBeLessThan(400);
  });
});
