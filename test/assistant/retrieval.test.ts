import { describe, expect, it } from "vitest";
import { buildPassageIndex } from "../../src/assistant/retrieval/passage-index.ts";
import { toQuery } from "../../src/assistant/retrieval/query.ts";
import type { QueryContext } from "../../src/assistant/retrieval/query.ts";
import { rankSentences } from "../../src/assistant/retrieval/sentence-ranking.ts";
import { passage } from "./passages.ts";

const INDEX = buildPassageIndex([
  passage({ id: "fees", title: "Withdrawal fees", text: "They are fixed. See the table for each coin and network." }),
  passage({
    id: "news",
    title: "Weekly letter",
    text: "Withdrawal fees, listings and more. A long letter on many things.",
  }),
  passage({
    id: "staking",
    title: "Staking",
    text: "Staked coins are locked. Unstaking takes 3 days. Rewards are paid daily.",
  }),
  passage({ id: "zh", lang: "zh", title: "质押", text: "质押的币会被锁定。赎回需要 3 天。" }),
]);

function search(question: string, context: QueryContext = {}): string[] {
  const query = INDEX.correctSpelling(toQuery(question, context));
  return INDEX.search(query, 10, () => true).map((hit) => hit.passage.id);
}

describe("retrieval", () => {
  it("counts a title above a body", () => {
    expect(search("withdrawal fees")).toEqual(["fees", "news"]);
  });

  it("finds inflected and misspelt words", () => {
    expect(search("withdrawls fee")[0]).toBe("fees");
    expect(search("unstakking rewrds")[0]).toBe("staking");
  });

  it("looks for mining, whose stem is that of the pronoun mine", () => {
    expect(toQuery("how does mining work").terms.get("mine")).toBe(1);
  });

  it("finds Chinese without a dictionary, in traditional characters too", () => {
    expect(search("質押赎回")).toEqual(["zh"]);
  });

  it("finds nothing for words that only ask", () => {
    expect(search("what is it and how do I do that")).toEqual([]);
    expect(search("这是什么，怎么样")).toEqual([]);
  });

  it("looks for the context with less weight than for the question", () => {
    expect(search("fees", { asset: "staking" })).toEqual(["fees", "news", "staking"]);
    expect(search("and the rewards?", { previous: "fees" })).toEqual(["staking", "fees", "news"]);
  });

  it("keeps to the passages that are accepted", () => {
    const hits = INDEX.search(toQuery("staking 质押"), 10, ({ lang }) => lang === "zh");
    expect(hits.map((hit) => hit.passage.id)).toEqual(["zh"]);
  });

  it("is the same whichever way the passages come", () => {
    const backwards = buildPassageIndex([...INDEX.passages].reverse());
    const ids = (index: typeof INDEX): string[] =>
      index.search(toQuery("unstaking takes days fees"), 10, () => true).map((hit) => hit.passage.id);
    expect(ids(backwards)).toEqual(ids(INDEX));
  });

  it("ranks first the sentence that holds what is asked for", () => {
    const query = toQuery("How long does unstaking take?");
    const [best] = rankSentences(
      query,
      INDEX.search(query, 5, () => true),
      INDEX,
    );
    expect(best?.sentence.text).toBe("Unstaking takes 3 days.");
    expect(best?.passageCoverage).toBeGreaterThanOrEqual(best!.coverage);
  });
});
