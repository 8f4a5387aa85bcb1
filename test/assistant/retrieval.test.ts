import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyOf, type Passage } from "../../src/assistant/passage.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { findEvidence } from "../../src/assistant/retrieval/find-evidence.ts";
import { partsOf } from "../../src/assistant/answering/question-parts.ts";
import { textOf } from "../../src/assistant/retrieval/rate-units.ts";
import { searchTerms } from "../../src/assistant/retrieval/language-index.ts";
import type { Search } from "../../src/assistant/retrieval/question-terms.ts";
import { unitsOf } from "../../src/assistant/retrieval/text-units.ts";
import { Vocabulary } from "../../src/assistant/retrieval/vocabulary.ts";
import { detectLanguage } from "../../src/language/detect-language.ts";
import { stem } from "../../src/language/tokenize.ts";
import { passage } from "./passages.ts";

const NOW = Date.parse("2026-11-20T00:00:00Z");

const PASSAGES: readonly Passage[] = [
  passage({ id: "fees", title: "Withdrawal fees", text: "Withdrawal fees are fixed. See the table for each coin." }),
  passage({
    id: "letter",
    title: "Weekly letter",
    text: "Withdrawal fees, listings of Bitcoin and more. A letter on many things.",
  }),
  passage({
    id: "staking",
    title: "Staking",
    text: "Staked coins are locked. Unstaking ends after 3 days. Rewards are paid daily.",
  }),
  passage({ id: "staking", lang: "zh", title: "质押", text: "质押的币会被锁定。赎回需要 3 天。" }),
  passage({ id: "address", lang: "zh", title: "修改地址", text: "搬家以后请在资料页修改地址。" }),
  passage({ id: "umbrella", lang: "zh", title: "借雨伞", text: "网点可以借雨伞，三天内归还。" }),
];
const INDEX = new AnswerIndex(PASSAGES);

function find(question: string, more: Partial<Search> = {}, index = INDEX) {
  return findEvidence(index, { question, lang: detectLanguage(question), now: NOW, ...more });
}

function idsOf(question: string, more: Partial<Search> = {}, index = INDEX): string[] {
  return find(question, more, index).ranked.map(({ found }) => found.passage.id);
}

describe("search terms", () => {
  it("are stems in English, characters and pairs in Chinese", () => {
    expect(searchTerms("Closing accounts")).toEqual([stem("closing"), stem("accounts")]);
    expect(searchTerms("密码")).toEqual(["密", "密码", "码"]);
  });

  it("read numbers with and without separators alike", () => {
    expect(searchTerms("1,000 USDT")).toEqual(searchTerms("1000 USDT"));
  });
});

it("corrects a word by what the passages say now, not by what they said when it was asked for first", () => {
  const vocabulary = new Vocabulary();
  const ferries = { title: "", body: "the ferry leaves at noon" };
  expect(vocabulary.corrections("ferrry")).toEqual([]);
  vocabulary.count(ferries, 1);
  expect(vocabulary.corrections("ferrry")).toEqual([stem("ferry")]);
  vocabulary.count(ferries, -1);
  expect(vocabulary.corrections("ferrry")).toEqual([]);
});

describe("retrieval", () => {
  it("takes a misspelt word for what it is corrected to, also in what the question is about", () => {
    const alikeOf = (question: string): number => find(question).ranked[0]!.alike;
    expect(alikeOf("unstakking rewrads")).toBeCloseTo(alikeOf("unstaking rewards"));
    expect(alikeOf("unstaking rewards")).toBeGreaterThan(0.2);
  });

  it("counts a title above a body", () => {
    expect(idsOf("withdrawal fees").slice(0, 2)).toEqual(["fees", "letter"]);
  });

  it.each([
    ["withdrawls fee", "fees", "an inflected and misspelt word"],
    ["unstakking rewrds", "staking", "misspelt words"],
    ["rwds paid when", "staking", "a shortened word"],
    ["質押赎回", "staking", "traditional characters"],
    ["迪芝", "address", "characters of which only the sound is right"],
    ["怎么改地只", "address", "a word that sounds like the right one"],
    ["can i borrow an umbrella", "umbrella", "an article in the other language"],
    ["大饼 news", "letter", "a nickname of an asset"],
    ["i moved house", "address", "an everyday phrase, in the other language"],
  ])("finds for %j the article %j: %s", (question, id) => {
    expect(idsOf(question)[0]).toBe(id);
  });

  it("takes an article that exists in both languages in the question's", () => {
    expect(find("staking").ranked[0]!.found).toMatchObject({ lang: "en", passage: { id: "staking" } });
    expect(find("质押").ranked[0]!.found).toMatchObject({ lang: "zh", passage: { id: "staking" } });
    expect(idsOf("staking").filter((id) => id === "staking")).toHaveLength(1);
  });

  it("puts first what is about the situation that a question tells, of articles with the same words of it", () => {
    const index = new AnswerIndex([
      passage({
        id: "safe",
        title: "Safeguarding",
        text: "Customer funds are kept apart in case of insolvency. Your money.",
      }),
      passage({ id: "letter", title: "Letter", text: "On your money." }),
    ]);
    expect(idsOf("is my money gone if you guys go bust", {}, index)).toEqual(["safe", "letter"]);
  });

  it("finds nothing for words that only ask", () => {
    expect(idsOf("what is it and how do I do that")).toEqual([]);
    expect(idsOf("这是什么，怎么样")).toEqual([]);
  });

  it("finds an article that shares no word with the question by what one of its sentences is about", () => {
    const more = [
      passage({ id: "estate", title: "Estates", text: "If a customer dies, heirs send us the certificate." }),
      passage({ id: "locked", title: "Sign-in blocked", text: "After five wrong tries the login is suspended." }),
    ];
    const index = new AnswerIndex([...PASSAGES, ...more]);
    expect(idsOf("granny passed last week", {}, index)[0]).toBe("estate");
    expect(idsOf("it wont let me in anymore", {}, index)[0]).toBe("locked");
    // Where there are many, only those that share words are compared.
    const many = Array.from({ length: 801 }, (_, at) => passage({ id: `n${at}`, title: "", text: "Nothing." }));
    index.change({ removed: [], added: many });
    expect(idsOf("granny passed last week", {}, index)).not.toContain("estate");
    index.change({ removed: many.map(keyOf), added: [] });
    expect(idsOf("granny passed last week", {}, index)[0]).toBe("estate");
    // Nor where they are long.
    index.change({ removed: [], added: [passage({ id: "long", title: "", text: "Nothing. ".repeat(180_000) })] });
    expect(index.few()).toBeUndefined();
  });

  it("rates an article behind the fourth only while it may still come first", () => {
    const question = "how much is a replacement card";
    const rated = (first: string, wide = false): number => {
      const others = Array.from({ length: 7 }, (_, at) =>
        passage({ id: `n${at}`, title: "", text: "Cards and more." }),
      );
      const index = new AnswerIndex([passage({ id: "first", title: first, text: `${first}.` }), ...others]);
      return findEvidence(index, { question, lang: "en", now: NOW, wide }).evidence.length;
    };
    expect(rated("Cards and more")).toBe(8);
    expect(rated("A replacement card costs 6 EUR, how much is it")).toBe(4);
    // A wide answer has five sections.
    expect(rated("A replacement card costs 6 EUR, how much is it", true)).toBe(5);
  });

  it("reads a row of a table with the first row, in text that the network judges", () => {
    const rows = "Plan | Price\nSmall | 3 EUR\n\nLarge plans are for firms.";
    expect(unitsOf(rows).map(({ kind, head, text }) => [kind, head, text])).toEqual([
      ["item", undefined, "Plan | Price"],
      ["item", "Plan | Price", "Small | 3 EUR"],
      ["sentence", undefined, "Large plans are for firms."],
    ]);
    const [, row] = unitsOf(rows);
    const [plans] = new AnswerIndex([passage({ title: "Plans", text: rows })]).indexed();
    expect(textOf(plans!, row!)).toBe("Plans\nPlan | Price\nSmall | 3 EUR");
  });

  it("looks for the question before with less weight than for the question", () => {
    const [first, second] = [
      find("rewards"),
      find("rewards", { previous: { question: "many things", isNeeded: true } }),
    ];
    expect(first.ranked.map(({ found }) => found.passage.id)).toEqual(["staking"]);
    expect(second.ranked.map(({ found }) => found.passage.id)).toEqual(["staking", "letter"]);
  });

  it("looks for the asset on the user's page where the question names none", () => {
    const articles = [
      passage({ id: "eth", title: "Minimum of Ethereum", text: "The minimum is 0.01." }),
      passage({ id: "xrp", title: "Minimum of XRP", text: "The minimum is 20." }),
    ];
    const index = new AnswerIndex(articles);
    const first = (question: string, symbol: string): string => idsOf(question, { symbol }, index)[0]!;
    expect([first("minimum", "ETH"), first("minimum", "XRP")]).toEqual(["eth", "xrp"]);
    expect(first("minimum of XRP", "ETH")).toBe("xrp");
  });

  it.each([
    ["e205 what is that", "letters"],
    ["E 205?", "letters"],
    ["what about 9581", "digits"],
    ["9581几号截止", "digits"],
  ])("finds a code that is written otherwise: %s", (question, id) => {
    const articles = [
      passage({ id: "letters", title: "Codes", text: "E-205: the price is too far away. E-118: the lot is wrong." }),
      passage({ id: "digits", title: "Subscription open: Lanternfish (09581)", text: "Until 25 November." }),
      passage({ id: "other", title: "Orders", text: "An order is good for 205 days." }),
    ];
    expect(idsOf(question, {}, new AnswerIndex(articles))[0]).toBe(id);
  });

  it("keeps to the passages that are accepted", () => {
    expect(idsOf("withdrawal fees", { accept: ({ id }) => id !== "fees" })[0]).toBe("letter");
  });

  it("reads a question of a thousand different words, and one of a single word a thousand times", () => {
    const words = Array.from({ length: 1000 }, (_, at) => `w${at}w`);
    expect(idsOf(`${words.join(" ")} umbrella`)).toEqual([]);
    expect(idsOf("fees ".repeat(1000))[0]).toBe("fees");
  });
});

describe("an index that is updated", () => {
  const question = ["staking rewards", "withdrawal fees", "质押赎回", "修改地址", "power of attorney", "SO"];
  const results = (index: AnswerIndex): unknown => question.map((asked) => describeFindings(find(asked, {}, index)));

  function describeFindings({ ranked, quoted }: ReturnType<typeof find>): unknown {
    return [
      ranked.map(({ found, score }) => [found.passage.id, found.lang, score]),
      quoted.map(({ window }) => window.text),
    ];
  }

  it("gives what one built anew gives, after any changes", () => {
    const some = fc.subarray([...PASSAGES], { minLength: 0 });
    const steps = fc.array(fc.record({ kept: some, altered: fc.boolean() }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(steps, (contents) => {
        const index = new AnswerIndex();
        let held: Passage[] = [];
        for (const { kept, altered } of contents) {
          const wanted = kept.map((one) => (altered ? { ...one, text: `${one.text} More on rewards.` } : one));
          index.change({ removed: held.map(keyOf), added: wanted });
          held = wanted;
        }
        expect(index.indexed().length).toBe(held.length);
        expect(results(index)).toEqual(results(new AnswerIndex(held.toReversed())));
      }),
      { numRuns: 12, seed: 1 },
    );
  });

  it("replaces a passage that comes again", () => {
    const index = new AnswerIndex(PASSAGES);
    index.change({
      removed: [],
      added: [{ ...PASSAGES[0]!, title: "Umbrellas", text: "They are lent for three days." }],
    });
    expect(index.indexed().length).toBe(PASSAGES.length);
    expect(idsOf("withdrawal fees", {}, index)[0]).toBe("letter");
  });
});

describe("the part of an article that answers", () => {
  const article = passage({
    title: "Cards",
    text:
      "Your card is sent by post. It is free of charge.\n\nTo order one:\n\n- open Cards\n- choose a design\n- confirm the order\n\n" +
      `${"Our shops have long opening hours. ".repeat(30)}\n\nA lost card is replaced within 5 working days for 12 EUR.`,
  });
  const index = new AnswerIndex([article]);
  const textFor = (question: string): string => find(question, {}, index).quoted[0]!.window.text;

  it("is where the question's words are", () => {
    expect(textFor("how much is the replacement of a lost card")).toMatch(
      /A lost card is replaced within 5 working days for 12 EUR\.$/,
    );
  });

  it("has lists whole, with the line that introduces them", () => {
    expect(textFor("confirm the order of a card")).toContain(
      "To order one:\n- open Cards\n- choose a design\n- confirm the order",
    );
  });

  it("has a list whole that is longer than an answer", () => {
    const items = Array.from({ length: 9 }, (_, at) => `- step ${at + 1}: ${"do as the form says ".repeat(5).trim()}`);
    const long = new AnswerIndex([
      passage({ title: "Visa", text: `Steps for a visa stamp:\n${items.join("\n")}\n\nThe desk closes at noon.` }),
    ]);
    const { text } = find("first step for a visa stamp", {}, long).quoted[0]!.window;
    expect(text.split("\n")).toEqual(["Steps for a visa stamp:", ...items]);
  });

  it("has lines of names and values whole, as a list, and what answers a question that it ends with", () => {
    const pad = "This sentence is of no use to anybody who reads it, but it is as long as others are. ".repeat(4);
    const limits = `Cash limits:\nDebit card: 600 EUR\nCredit card: 300 EUR\n\n${pad}`;
    const lost = `${pad}\n\nClicked the link of a false mail?\nBlock the card in the app.`;
    const of = new AnswerIndex([
      passage({ id: "l", title: "Limits", text: limits }),
      passage({ title: "Mail", text: lost }),
    ]);
    const textOfBest = (question: string): string => find(question, {}, of).quoted[0]!.window.text;
    const kinds = unitsOf("Cash: 5 EUR\nCard: 3 EUR\n\nNote: it changes.").map(({ kind }) => kind);
    expect(kinds).toEqual(["item", "item", "sentence"]);
    expect(textOfBest("cash with the credit card")).toContain(
      "Cash limits:\nDebit card: 600 EUR\nCredit card: 300 EUR",
    );
    expect(textOfBest("i clicked the link of a false mail")).toMatch(/false mail\?\nBlock the card in the app\.$/);
  });

  it("has the instructions where a question asks how to do something", () => {
    const pad = "Letters are sent by post on working days, and not at weekends or on holidays. ".repeat(12);
    const text = `Changing your address is free.\n\n${pad}\n\nTo change your address, open Profile.`;
    const of = new AnswerIndex([passage({ title: "Address", text })]);
    expect(find("how do i change my address", {}, of).quoted[0]!.window.text).toContain("open Profile");
  });

  it("is of one article for two questions in one, whatever else is found", () => {
    const { quoted } = find("What are the withdrawal fees and when are staking rewards paid?");
    expect(quoted).toHaveLength(1);
  });
});

describe("the questions in a question", () => {
  it.each([
    ["how long does it take and what does it cost?", ["how long does it take", "what does it cost"]],
    ["销户要收费吗？多久能办完", ["销户要收费吗", "多久能办完"]],
    ["terms and conditions?", []],
  ])("of %j are %j", (question, clauses) => {
    expect(partsOf(question).map((part) => part.question)).toEqual(clauses);
  });
});

describe("the things that a question is about", () => {
  const one = (question: string, thing: string) => ({ question, thing });

  it.each([
    [
      "How do I set up 2FA and an anti-phishing code?",
      [one("How do I set up 2FA?", "2FA"), one("How do I set up an anti-phishing code?", "an anti-phishing code")],
    ],
    ["怎么设置双重验证和防钓鱼码", [one("怎么设置双重验证", "双重验证"), one("怎么设置防钓鱼码", "防钓鱼码")]],
    [
      "how can I freeze my card and remove a device",
      [one("how can I freeze my card", "my card"), one("how can I remove a device", "a device")],
    ],
    ["网格机器人和跟单交易怎么用？", [one("网格机器人怎么用？", "网格机器人"), one("跟单交易怎么用？", "跟单交易")]],
    ["What are the deposit and withdrawal limits?", []],
    ["What is the difference between an order and a trade?", []],
    ["市价单和限价单有什么区别", []],
    ["现货和合约的手续费是多少", []],
    ["terms and conditions", []],
    ["What are a, the b, the c and the d?", []],
    [
      "how long does it take and what does it cost?",
      [{ question: "how long does it take" }, { question: "what does it cost" }],
    ],
  ])("%s: %j", (question, parts) => {
    expect(partsOf(question)).toEqual(parts);
  });
});

it("trusts the meaning of words less, the more of the operator's texts are about other things than services", () => {
  const article = (id: string, lang: "en" | "zh", text: string): Passage => passage({ id, lang, title: id, text });
  const services = [
    article("withdraw", "en", "Open your wallet, choose the coin and the network, enter the address and confirm it."),
    article("提现", "zh", "打开钱包，选择币种和网络，输入提现地址，然后用验证码确认。到账时间取决于网络。"),
  ];
  const others = [
    article("a", "en", "Carboniferous lycopsids dominated peat swamps of equatorial Euramerica, beside calamites."),
    article("b", "zh", "石炭纪的石松类植物曾在欧美大陆的泥炭沼泽中占据优势，与芦木和种子蕨共生。"),
  ];
  const index = new AnswerIndex(services);
  expect(index.trust()).toBe(1);
  index.change({ removed: [], added: others });
  const mixed = index.trust();
  expect(mixed).toBeLessThan(1);
  expect(new AnswerIndex([...others, ...services]).trust()).toBe(mixed);
  expect(new AnswerIndex(others).trust()).toBeLessThan(mixed);
  index.change({ removed: others.map(keyOf), added: [] });
  expect(index.trust()).toBe(1);
});
