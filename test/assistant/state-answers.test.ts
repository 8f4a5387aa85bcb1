import { describe, expect, it } from "vitest";
import { prepareQuestion } from "../../src/assistant/assistant.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { DAY_MS } from "../../src/runtime/clock.ts";
import { EXCHANGE, NOW } from "./exchange.ts";
import { passage } from "./passages.ts";

const noticeOf = (id: string, title: string, symbols: string[], days: number) => {
  const published_at = new Date(NOW - days * DAY_MS).toISOString();
  return passage({ id, kind: "notice", title, text: `${title}. A further notice will follow.`, published_at, symbols });
};

const index = new AnswerIndex([
  ...EXCHANGE,
  noticeOf("tide", "Withdrawals of TIDE suspended", ["TIDE"], 13),
  noticeOf("old", "Withdrawals of MOSS suspended", ["MOSS"], 15),
  noticeOf("bridge", "Maintenance of the Heron bridge", [], 2),
  noticeOf("prize", "A prize draw for users of the Lagoon bridge", [], 1),
  passage({ id: "osprey", title: "Osprey bridge", text: "The Osprey bridge is down on Sundays from 2 to 4." }),
]);

function ask(question: string, hasModel = false) {
  const given = { question, history: [], research: false, refused: [], hasModel, now: NOW };
  const { answer, routing } = prepareQuestion(given, index);
  return { outcome: answer?.outcome ?? "", first: answer?.sources[0]?.id, route: routing.route };
}

describe("whether something works now", () => {
  it.each([
    ["Are TIDE withdrawals suspended right now?", "tide"],
    ["is TIDE down", "tide"],
    ["Is the Heron bridge down?", "bridge"],
    ["is the Heron bridge working again", "bridge"],
  ])("%s is answered by the notice that says so", (question, id) => {
    const { outcome, ...answer } = ask(question);
    expect(outcome).toMatch(/answered|unsure/);
    expect(answer).toEqual({ first: id, route: "notice" });
  });

  it.each([
    "Are MOSS withdrawals suspended right now?", // The notice is older than 14 days.
    "Are withdrawals suspended right now?", // It is of one coin.
    "Is the Lagoon bridge down?", // It does not say how it works.
    "Is the Osprey bridge down?", // An article does not know what is now.
    "is it down",
    "网站挂了吗",
  ])("%s is not charged, and no other notice shown first", (question) => {
    const { outcome, first } = ask(question);
    expect(outcome).toMatch(/unsure|offered|declined/);
    expect(["tide", "prize", "bridge"]).not.toContain(first);
  });
});

describe("own figures", () => {
  it("are calculated by a model alone: without one, the rule is not charged", () => {
    const question = "USDT 提现手续费是多少，帮我算一下";
    expect(ask(question)).toMatchObject({ outcome: "unsure", first: "withdraw-fee" });
    expect(ask(question, true)).toMatchObject({ outcome: "answered", first: "withdraw-fee" });
  });
});
