import { describe, expect, it } from "vitest";
import type { Answer, Turn } from "../../src/assistant/answer.ts";
import { prepareAnswer } from "../../src/assistant/answering/answerer.ts";
import { chosenTitle } from "../../src/assistant/answering/chosen-title.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { routeQuestion } from "../../src/assistant/routing/router.ts";
import { passage } from "./passages.ts";

/** A ferry company: nothing that the product was made for. */
const FERRY = new AnswerIndex([
  passage({
    id: "bicycles",
    title: "Bicycles on board",
    text: "A bicycle costs 4 EUR. Tandems cost 7 EUR. Book them with your ticket.",
  }),
  passage({
    id: "pets",
    title: "Travelling with pets",
    text: "Dogs travel free of charge on a lead. Cats stay in their box. There is a kennel on deck 3.",
  }),
  passage({ id: "how", title: "How do I do that", text: "Ask at the desk on deck 2. It is open from 6:00 to 22:00." }),
  passage({
    id: "cabins",
    title: "Cabins",
    text: "Cabins have a shower. The key is handed over at the desk from 18:00.",
  }),
  passage({
    id: "sailing",
    title: "When the sea is rough",
    text: "If a sailing is cancelled because of the weather, you get the fare back within 7 days.",
  }),
]);

function ask(question: string, history: readonly Turn[] = [], index: AnswerIndex = FERRY): Answer {
  const routing = routeQuestion(question, { history });
  const now = Date.parse("2026-11-20T00:00:00Z");
  return prepareAnswer({ question, routing, history, wide: false, now }, index).answer!;
}

describe("what becomes of a question over content that nobody has seen", () => {
  it.each(["Bicycles on board", "Travelling with pets", "When the sea is rough", "How do I do that?"])(
    "is answered where it is an article's title: %s",
    (title) => {
      const answer = ask(title);
      const found = { title: title.replace("?", "") };
      expect(answer).toMatchObject({ outcome: "answered", routing: { route: "help" }, sources: [found] });
    },
  );

  it("is no title where it has neither letters nor digits", () => {
    const rocket = new AnswerIndex([passage({ id: "rocket", title: "🚀", text: "To the moon it goes." })]);
    expect(ask("?!", [], rocket)).toMatchObject({ routing: { route: "small_talk" }, sources: [] });
  });

  it("is answered by the article, though no example knows its subject", () => {
    const answer = ask("how much does a bicycle cost");
    expect(answer.outcome).toMatch(/^(?:answered|unsure)$/);
    expect(answer.sources[0]!.snippet).toContain("A bicycle costs 4 EUR.");
  });

  it("is offered titles to choose from when nothing is sure, and the choice is understood", () => {
    const offered = ask("what time does breakfast begin on board");
    expect(offered.outcome).toBe("offered");
    const lines = offered.text.split("\n").slice(1);
    const titles = lines.filter((line) => !line.startsWith("   "));
    expect(offered.sources.map(({ title }, at) => `${at + 1}. ${title}`)).toEqual(titles);
    // Each title comes with the part of it that may answer, out of its source.
    expect(lines.filter((line) => line.startsWith("   ")).map((line) => line.trim())).toEqual(
      offered.sources.map(({ snippet }) => snippet),
    );
    const chosen = ask("the first one", [{ question: "…", answer: offered.text }]);
    expect(chosen.sources[0]!.title).toBe(offered.sources[0]!.title);
    expect(chosen.outcome).toBe("answered");
  });

  it.each(["landlubber tariff", "Where do I put my moped?"])(
    "is answered where an operator wrote it beside the article: %s",
    (question) => {
      const taught = passage({
        id: "vehicles",
        title: "Other vehicles",
        text: "They stand on deck 2. Each costs 9 EUR. Please bring a rope.",
        aliases: ["landlubber tariff", "Where do I put my moped?"],
      });
      expect(ask(question)).not.toMatchObject({ outcome: "answered" });
      const index = new AnswerIndex([...FERRY.indexed().map((one) => one.passage), taught]);
      expect(ask(question, [], index)).toMatchObject({ outcome: "answered", sources: [{ id: "vehicles" }] });
    },
  );

  it("is not taken for one about the market's prices where it names no asset", () => {
    expect(ask("kennel price pls").sources[0]).toMatchObject({ id: "pets" });
  });

  it("is declined where nothing is near", () => {
    expect(ask("qwrtz plmbk")).toMatchObject({ outcome: "declined", sources: [] });
  });

  it("is asked back when it needs an earlier turn that is not there", () => {
    const alone = ask("and at night?");
    expect(alone).toMatchObject({ outcome: "declined", sources: [] });
    expect(alone.text).toMatch(/the whole question/);
    // One that says what it is about is answered, whatever it ends with.
    expect(ask("my tandem is long, how do I book it").sources[0]?.id).toBe("bicycles");
    const followed = ask("and for two?", [{ question: "how much does a bicycle cost", answer: "…" }]);
    expect(followed.sources[0]!.id).toBe("bicycles");
  });
});

describe("a short question", () => {
  const before: Turn[] = [{ question: "how much does a bicycle cost", answer: "…" }];
  const first = (question: string, history: readonly Turn[] = before): string | undefined =>
    ask(question, history).sources[0]?.id;

  it("is understood from what was asked before, though it does not read as a follow-up", () => {
    expect(first("is there a maximum", [])).not.toBe("bicycles");
    expect(first("is there a maximum")).toBe("bicycles");
  });

  it("is understood from the two questions before, where the last one is short as well", () => {
    expect(first("is there a maximum", [...before, { question: "at night", answer: "…" }])).toBe("bicycles");
  });

  it("goes before what was asked before, where it has a subject of its own", () => {
    expect(first("travelling with a cat")).toBe("pets");
  });
});

describe("a choice among offered titles", () => {
  const history = [
    {
      question: "?",
      answer: "I found no sure answer. Is it one of these that you want to know about?\n1. Fees\n2. Limits of a card",
    },
  ];

  it.each([
    ["1", "Fees"],
    ["the second one", "Limits of a card"],
    ["第二个", "Limits of a card"],
    ["limits", "Limits of a card"],
    ["the card one", "Limits of a card"],
    ["the last one please", "Limits of a card"],
    ["option 2 please", "Limits of a card"],
    ["选2", "Limits of a card"],
    ["第二个吧", "Limits of a card"],
    ["最后一个", "Limits of a card"],
    ["第二個", "Limits of a card"],
    ["3", undefined],
    ["it", undefined], // Its letters are in a title, and no word.
    ["ok", undefined],
    ["of", undefined], // Says nothing.
    ["how do I close my account", undefined],
  ])("by %j is %j", (question, title) => {
    expect(chosenTitle(question, history)?.title).toBe(title);
  });

  it("is answered in the language that they were offered in, which may be Traditional Chinese", () => {
    const answer = "我沒有找到確定的答案。您想了解的是以下哪一項？\n1. 手續費\n2. Limits of a card";
    expect(chosenTitle("2", [{ question: "?", answer }])).toEqual({ title: "Limits of a card", lang: "zh" });
  });

  it("is not one of the list in what is quoted below a title", () => {
    const [{ question, answer }] = history as [Turn];
    const quoted = answer.replace("1. Fees", "1. Fees\n   1. Open the card.\n   2. Read the fees.");
    expect(chosenTitle("2", [{ question, answer: quoted }])?.title).toBe("Limits of a card");
  });

  it("is none where nothing was offered", () => {
    expect(chosenTitle("1", [{ question: "?", answer: "The steps:\n1. Fees" }])).toBeUndefined();
  });
});

describe("several questions in one", () => {
  it("are each answered with their sources", () => {
    for (const question of [
      "What does a bicycle cost? Do dogs travel free?",
      "do dogs travel free and what does a tandem cost",
    ]) {
      const answer = ask(question);
      expect(answer.outcome).toMatch(/answered|unsure/);
      expect(answer.text).toMatch(/Dogs travel free of charge/);
      expect(answer.text).toMatch(/Tandems cost 7 EUR/);
      expect(answer.sources.map(({ id }) => id).toSorted()).toEqual(["bicycles", "pets"]);
    }
  });

  it("are answered by one article where it has both answers, and by no other", () => {
    const shop = new AnswerIndex([
      passage({
        id: "warranty",
        title: "Warranty",
        text: "Every device has a warranty of 24 months. To claim it, send the serial number to warranty@shop.example.",
      }),
      passage({ id: "returns", title: "Returns", text: "Send an unopened device back within 30 days." }),
      passage({ id: "gifts", title: "Gift wrapping", text: "A gift box costs 3 EUR. Claim a card with it." }),
    ]);
    const answer = ask("how long is the warranty and how do I claim it?", [], shop);
    expect(answer.sources.map(({ id }) => id)).toEqual(["warranty"]);
    expect(answer.text).toMatch(/24 months.*serial number/s);
  });

  it("are not charged by an article that answers one of them alone", () => {
    const deck = new AnswerIndex([
      passage({ id: "pets", title: "Pets on board", text: "Dogs travel free of charge in the kennel on deck 4." }),
      passage({ id: "meals", title: "Meals", text: "Breakfast is served from 7:00 on deck 5." }),
    ]);
    expect(ask("Do dogs travel free of charge in the kennel?", [], deck).outcome).toBe("answered");
    const answer = ask("Do dogs travel free of charge in the kennel? Who is the captain?", [], deck);
    expect([answer.outcome, answer.sources[0]?.id]).toEqual(["unsure", "pets"]);
  });

  it("are not answered surely where one is not", () => {
    const answer = ask("What does a bicycle cost? Which captain is the oldest?");
    expect(answer.outcome).not.toBe("answered");
  });
});

describe("a table", () => {
  const rows = ["Malta", "Sicily", "Corsica", "Sardinia", "Tunis", "Genoa"];
  const table = [
    "| Port | Fare | Time |",
    "|---|---|---|",
    ...rows.map((port, at) => `| ${port} | ${at + 20} EUR | ${at + 2} h |`),
  ];
  const fares = new AnswerIndex([passage({ id: "fares", title: "Fares by port", text: table.join("\n") })]);

  it("answers with the row that is asked for, below its head", () => {
    const { text } = ask("What is the fare to Corsica?", [], fares);
    expect(text.split("\n").slice(-2)).toEqual(["| Port | Fare | Time |", "| Corsica | 22 EUR | 4 h |"]);
  });

  it("answers with two rows that are asked for, and as a whole where none is", () => {
    const both = ask("What are the fares to Corsica or Tunis?", [], fares).text;
    expect(both.match(/EUR/g)).toHaveLength(2);
    expect(ask("What are the fares by port?", [], fares).text.match(/EUR/g)).toHaveLength(rows.length);
  });
});

describe("what nobody can answer", () => {
  it.each(["2+2", "3*(4+5)=?", "(2+3)*4", "calculate 12 * 12", "计算 3+5", "what is 15% of 200", "asdfgh"])(
    "is declined without any article: %s",
    (question) => {
      expect(ask(question)).toMatchObject({ outcome: "declined", sources: [] });
      const counts = new AnswerIndex([
        passage({ title: "Decks 2, 3 and 4", text: "Deck 2 has 3 bars, 4 lifts, 12 cabins and 15 seats; 200 in all." }),
      ]);
      expect(ask(question, [], counts)).toMatchObject({ outcome: "declined", sources: [] });
    },
  );
});

describe("an article in the other language", () => {
  const chinese = new AnswerIndex([
    passage({ id: "meals", lang: "zh", title: "船上用餐时间", text: "早餐 7:00 至 9:30 在五层餐厅供应。" }),
    passage({ id: "deck", lang: "en", title: "Restaurant deck plan", text: "The restaurant is on deck 5." }),
  ]);

  it("is said to be so among offered titles too, and can be chosen", () => {
    const offered = ask("自行车可以租吗");
    expect(offered.outcome).toBe("offered");
    expect(offered.text).toContain("1. Bicycles on board（英文资料）");
    for (const answer of [offered.text, offered.text.replace("资料", "資料")])
      expect(chosenTitle("1", [{ question: "…", answer }])?.title).toBe("Bicycles on board");
  });

  it("is said to be so where it is quoted", () => {
    expect(ask("when is breakfast served on board", [], chinese).text).toMatch(/in Chinese/);
  });
});

describe("the label of an answer", () => {
  it("is the operator's category, and none of another trade", () => {
    const cards = new AnswerIndex([
      passage({
        id: "d",
        title: "How to deposit cash",
        text: "Deposit cash at any branch counter.",
        category: "Branches",
      }),
      passage({ id: "f", title: "Withdrawal fees", text: "A withdrawal costs 2 EUR abroad." }),
    ]);
    expect(ask("How to deposit cash", [], cards).routing).toMatchObject({ route: "help", sub_intent: "Branches" });
    expect(ask("Withdrawal fees", [], cards).routing).toMatchObject({ route: "help", sub_intent: "general" });
    const long = new AnswerIndex([
      passage({ title: "Cabins", text: "Cabins have a shower.", category: "x".repeat(500) }),
    ]);
    expect(ask("Cabins", [], long).routing.sub_intent).toHaveLength(64);
    const none = ask("how do i open a futures position", [], FERRY);
    expect(none.routing.sub_intent).toBe("general");
  });
});

describe("the page that the user is on", () => {
  it("informs which article answers", () => {
    const both = new AnswerIndex([
      passage({ id: "in", title: "Arrivals", text: "The fee is 1 EUR. Arrivals are at gate 1." }),
      passage({ id: "out", title: "Departures", text: "The fee is 3 EUR. Departures are at gate 2." }),
    ]);
    for (const [page_context, id] of [
      ["arrivals", "in"],
      ["departures", "out"],
    ] as const) {
      const question = "what is the fee at the gate";
      const routing = routeQuestion(question, { history: [], page_context });
      const { answer } = prepareAnswer({ question, routing, history: [], wide: false, now: 0, page_context }, both);
      expect(answer!.sources[0]?.id).toBe(id);
    }
  });
});
