import { describe, expect, it } from "vitest";
import { resolveCitations } from "../../src/assistant/answering/model-answer.ts";
import { dropCutSentence } from "../../src/assistant/model/model-call.ts";
import { passage } from "./passages.ts";

const PASSAGES = ["a", "b", "c"].map((id) => passage({ id }));

describe("citations of a model's answer", () => {
  it.each([
    ["One [2]. Two [1].", "One [1]. Two [2].", ["b", "a"]],
    ["Both [1][3].", "Both [1][2].", ["a", "c"]],
    ["Both [1, 3].", "Both [1][2].", ["a", "c"]],
    ["All [1-3].", "All [1][2][3].", ["a", "b", "c"]],
    ["两者【2】。", "两者[1]。", ["b"]],
    ["Real [1], made up [9].", "Real [1], made up.", ["a"]],
    ["Twice [3] and [3].", "Twice [1] and [1].", ["c"]],
  ])("maps %j", (raw, text, ids) => {
    const answer = resolveCitations(raw, PASSAGES);
    expect(answer?.text).toBe(text);
    expect(answer?.cited.map(({ id }) => id)).toEqual(ids);
  });

  it.each(["No source.", "Zero [0].", "NO_ANSWER [1]"])("finds none in %j", (raw) => {
    expect(resolveCitations(raw, PASSAGES)).toBeNull();
  });
});

describe("a reply that was cut", () => {
  it.each([
    ["One. Two. Thr", "One. Two."],
    ["费用为 0.5 USDT [1]。提现后", "费用为 0.5 USDT [1]。"],
    ["It costs 0.5 US", ""],
    ["Done.[1][2] And th", "Done.[1][2]"],
  ])("%j ends with its last whole sentence", (cut, whole) => {
    expect(dropCutSentence(cut)).toBe(whole);
  });
});
