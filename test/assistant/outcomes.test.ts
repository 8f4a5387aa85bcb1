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
  it.each(["Bicycles on board", "Travelling with pets", "When the sea is rough"])(
    "is answered where it is an article's title: %s",
    (title) => {
      const answer = ask(title);
      expect(answer).toMatchObject({ outcome: "answered", routing: { route: "help" }, sources: [{ title }] });
    },
  );

  it("is answered by the article, though no example knows its subject", () => {
    const answer = ask("how much does a bicycle cost");
    expect(answer.outcome).toBe("answered");
    expect(answer.text).toContain("A bicycle costs 4 EUR.");
  });

  it("is offered titles to choose from when nothing is sure, and the choice is understood", () => {
    const offered = ask("is there something for the weather on deck");
    expect(offered.outcome).toBe("offered");
    const titles = offered.text.split("\n").slice(1);
    expect(titles[0]).toMatch(/^1\. /);
    expect(offered.sources.map(({ title }, at) => `${at + 1}. ${title}`)).toEqual(titles);
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
      const index = new AnswerIndex([...FERRY.passages(), taught]);
      expect(ask(question, [], index)).toMatchObject({ outcome: "answered", sources: [{ id: "vehicles" }] });
    },
  );

  it("is declined where nothing is near", () => {
    expect(ask("qwrtz plmbk")).toMatchObject({ outcome: "declined", sources: [] });
  });

  it("is asked back when it needs an earlier turn that is not there", () => {
    const alone = ask("and at night?");
    expect(alone).toMatchObject({ outcome: "declined", sources: [] });
    expect(alone.text).toMatch(/the whole question/);
    const followed = ask("and for two?", [{ question: "how much does a bicycle cost", answer: "…" }]);
    expect(followed.sources[0]!.id).toBe("bicycles");
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
    ["3", undefined],
    ["how do I close my account", undefined],
  ])("by %j is %j", (question, title) => {
    expect(chosenTitle(question, history)).toBe(title);
  });

  it("is none where nothing was offered", () => {
    expect(chosenTitle("1", [{ question: "?", answer: "The steps:\n1. Fees" }])).toBeUndefined();
  });
});
