import { describe, expect, it } from "vitest";
import { decideOutcome } from "../../src/assistant/answering/decide-outcome.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { featuresOf } from "../../src/assistant/retrieval/evidence-features.ts";
import { findEvidence } from "../../src/assistant/retrieval/find-evidence.ts";
import { passage } from "./passages.ts";

const ARTICLES = [
  passage({ id: "bicycles", title: "Bicycles on board", text: "A bicycle costs 4 EUR. Tandems cost 7 EUR in Bremen." }),
  passage({
    id: "pets",
    title: "Travelling with pets",
    text: "Dogs travel free of charge. There is a kennel on deck 3.",
  }),
  passage({ id: "cabins", title: "Cabins", text: "Cabins have a shower. The key is handed over from 18:00." }),
];
/** Of other subjects, each with words of its own. */
const OTHERS = Array.from({ length: 60 }, (_, at) =>
  passage({ id: `other-${at}`, title: `Harbour${at} office`, text: `Quay${at} is open on days of the week${at}.` }),
);

const routing = { route: "help", sub_intent: "general", lang: "en", confidence: 0.5, research: false } as const;

function judge(question: string, index: AnswerIndex) {
  const findings = findEvidence(index, { question, lang: "en", now: 0 });
  const reading = { question, routing };
  return { ...featuresOf(findings.evidence[0]!, reading), ...decideOutcome(findings, reading) };
}

describe("the features of the evidence", () => {
  const small = new AnswerIndex(ARTICLES);
  const large = new AnswerIndex([...ARTICLES, ...OTHERS]);

  it.each(["how much does a bicycle cost", "travelling with a parrot"])(
    "are about the same where the corpus is twenty times larger: %s",
    (question) => {
      const [few, many] = [judge(question, small), judge(question, large)];
      for (const name of ["own", "titleAsked", "covered", "rarestShown", "literal", "unmatched", "unknown"] as const) {
        expect(Math.abs(few[name] - many[name]), name).toBeLessThan(0.25);
      }
      expect(Math.abs(few.probability - many.probability)).toBeLessThan(0.2);
    },
  );

  it("count what the quoted part and the title say, and not the rest of the article", () => {
    const long = passage({
      id: "long",
      title: "Cabins",
      text: `Cabins have a shower. ${"Nothing else is known of them. ".repeat(40)}A parrot is welcome.`,
    });
    const index = new AnswerIndex([...OTHERS, long]);
    expect(judge("is there a shower for a parrot", index).shown).toBeLessThan(
      judge("is there a shower", index).shown * 1.5,
    );
  });

  it("tell places, kinds of things and assets that the article does not speak of, whatever their words and language", () => {
    const article = passage({ id: "pay", title: "How to pay", text: "Pay by PayPal or in Japanese yen, or send ADA." });
    const index = new AnswerIndex([...OTHERS, article]);
    const elsewhere = (question: string): number => judge(question, index).elsewhere;
    for (const question of ["how do I pay", "pay with paypal", "从日本怎么付款 pay", "pay in cardano"]) {
      expect(elsewhere(question), question).toBe(0);
    }
    for (const question of ["pay with apple pay", "pay by cheque from malaysia", "用支付宝付款 pay", "pay in xrp"]) {
      expect(elsewhere(question), question).toBe(1);
    }
    expect(elsewhere("pay with paypal or skrill")).toBe(0.5);
  });

  it("count an everyday word that is missing less than a rare one, though no document says either", () => {
    const covered = (question: string): number => judge(question, large).covered;
    expect(covered("shower")).toBe(1);
    expect(covered("shower money")).toBeGreaterThan(0.8);
    expect(covered("shower parrot")).toBeLessThan(0.6);
  });

  it("tell names that the article does not have from those that it has", () => {
    expect(judge("what does a tandem cost in Bremen", large).unknownNames).toBe(0);
    const elsewhere = judge("what does a tandem cost in Oslo", large);
    expect(elsewhere.unknownNames).toBe(1);
    expect(elsewhere.probability).toBeLessThan(judge("what does a tandem cost in Bremen", large).probability);
  });

  it("leave out what no document says from what is said literally", () => {
    const asked = judge("bicycle qwrtz", large);
    expect(asked.literal).toBe(1);
    expect(asked.unknown).toBeGreaterThan(0.3);
  });
});
