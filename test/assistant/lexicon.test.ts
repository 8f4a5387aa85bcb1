import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readLexicon } from "../../src/assistant/lexicon-file.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { findEvidence } from "../../src/assistant/retrieval/find-evidence.ts";
import { temporaryFolder } from "../support/folder.ts";
import { passage } from "./passages.ts";

async function lexicon(text: string): ReturnType<typeof readLexicon> {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const file = join(folder.path, "lexicon.txt");
  await writeFile(file, text);
  return readLexicon(file);
}

it("finds an article by the operator's own words for what it is about, in both languages", async () => {
  const passages = [
    passage({ id: "moorings", title: "Moorings", text: "A mooring costs 20 EUR a night. Book it at the desk." }),
    passage({ id: "sauna", title: "The sauna", text: "It is open from 18:00. Towels are handed over at the desk." }),
  ];
  const find = (question: string, rows?: Awaited<ReturnType<typeof readLexicon>>): string[] => {
    const { ranked } = findEvidence(new AnswerIndex(passages, rows), { question, lang: "en", now: 0 });
    return ranked.map(({ found }) => found.passage.id);
  };
  const rows = await lexicon(
    "# of the harbour\r\n\r\nmooring, parking for my boat | 泊位, 停船\r\nsauna, sweatbox|桑拿\r\n",
  );
  expect(find("zzz sweatbox")).toEqual([]);
  expect(find("zzz sweatbox", rows)).toEqual(["sauna"]);
  expect(find("parking for my boat", rows)[0]).toBe("moorings");
  expect(find("停船", rows)).toEqual(["moorings"]);
});

it("reads a gap in a phrase as nothing between", async () => {
  const passages = [
    passage({ id: "debit", title: "Direct debits", text: "You can give back a direct debit within eight weeks." }),
    passage({ id: "debit", lang: "zh", title: "自动扣款", text: "八周之内可以要求退回。" }),
    passage({ id: "money", title: "Money", text: "About notes and coins of money." }),
  ];
  const index = new AnswerIndex(passages, await lexicon("direct debit, keep_pulling _money | 自动扣款, 老_划_钱\n"));
  const first = (question: string, lang: "en" | "zh"): string | undefined =>
    findEvidence(index, { question, lang, now: 0 }).ranked.find(({ found }) => found.lang === lang)?.found.passage.id;
  expect(first("they keep pulling money", "en")).toBe("debit");
  expect(first("keep it, and then what about the pulling of money", "en")).toBe("money");
  expect(first("健身房老划钱", "zh")).toBe("debit");
  expect(first("老人和小孩都能来划船吗要不要付钱", "zh")).toBeUndefined();
});

it.each([
  ["alone", "meaning 1 of"],
  ["a, b | 甲 | 乙", "must be words of one meaning"],
  [`a, ${"b".repeat(61)}`, "has a word of more than 60 characters"],
  ["a, b\n".repeat(5001), "has more than 5000 meanings"],
])("refuses a lexicon with a fault: %s", async (text, message) => {
  await expect(lexicon(text)).rejects.toThrow(message);
});

it("names a lexicon that is not there", async () => {
  await expect(readLexicon("/nowhere/lexicon.txt")).rejects.toThrow("/nowhere/lexicon.txt cannot be read (ENOENT)");
});
