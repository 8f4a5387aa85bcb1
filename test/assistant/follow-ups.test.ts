import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { prepareAnswer } from "../../src/assistant/answering/answerer.ts";
import { REPLIES } from "../../src/assistant/answering/replies.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { routeQuestion } from "../../src/assistant/routing/router.ts";
import { readWorld } from "../eval/worlds.ts";

const rows = readFileSync(new URL("data/follow-ups.tsv", import.meta.url), "utf8").split("\n");
const QUESTIONS = rows
  .filter((row) => row !== "" && !row.startsWith("#"))
  .map((row) => row.split("\t") as [string, string]);
const index = new AnswerIndex(readWorld("demo").passages);

function isAskedBack(question: string): boolean {
  const routing = routeQuestion(question, { history: [] });
  const { answer } = prepareAnswer({ question, routing, history: [], wide: false, now: 0 }, index);
  return answer?.text === REPLIES.askBack[routing.lang];
}

it("asks back for nothing what needs the turns before, where there are none", () => {
  const asked = QUESTIONS.filter(([kind]) => kind === "followUp").map(([, question]) => question);
  expect(asked.filter((question) => !isAskedBack(question))).toEqual([]);
});

it("asks no whole question back", () => {
  const whole = QUESTIONS.filter(([kind]) => kind === "whole").map(([, question]) => question);
  expect(whole.filter(isAskedBack)).toEqual([]);
});
