import { readdirSync, readFileSync } from "node:fs";
import { detectLanguage } from "../../src/language/detect-language.ts";
import { markedLines } from "./marked-lines.ts";
import type { World, WorldQuestion } from "./worlds.ts";

const FOLDER = new URL("../../fixtures/eval/centers/", import.meta.url);
const HELD_OUT = 3; // Every third company.
const LEFT = 8; // Of the others, every eighth is one that the answer network did not learn from (`scripts/help-centers.js`).

export interface Center extends World {
  readonly isLearned: boolean; // Whether the answer network learned from its questions.
}

type CenterSet = "first" | "more" | "later";

/** Small help centers, each of a company of another trade; of every third of the first and of the last all questions are
 * held out, of the others none. */
export function readCenters(): Record<CenterSet, Center[]> {
  let tuned = 0;
  const read = (set: CenterSet): Center[] => {
    const folder = set === "first" ? FOLDER : new URL(`${set}/`, FOLDER);
    const texts = readdirSync(folder)
      .filter((file) => file.endsWith(".txt"))
      .sort()
      .map((file) => readFileSync(new URL(file, folder), "utf8"));
    return texts
      .flatMap((text) => text.split(/^= /m).slice(1))
      .map((text, at) => {
        const [name = "", ...articles] = text.split(/^@ /m);
        const read = articles.map((article, number) => articleOf(article, `center-${at}-${number}`, set));
        const questions = read.flatMap((article) => article.questions);
        const isHeldOut = set !== "more" && at % HELD_OUT === HELD_OUT - 1;
        return {
          name: name.trim(),
          passages: read.flatMap((article) => article.passages),
          tuning: isHeldOut ? [] : questions,
          heldOut: isHeldOut ? questions : [],
          isLearned: !isHeldOut && tuned++ % LEFT !== 0,
        };
      });
  };
  return { first: read("first"), more: read("more"), later: read("later") };
}

/** An article in both languages, and its questions: a fact of one is a sentence in either. */
function articleOf(text: string, id: string, set: CenterSet) {
  const [title = "", ...lines] = text.trimEnd().split("\n");
  const said = (mark: string): string[] => markedLines(lines, mark);
  const [en, zh] = [said("a"), said("b")];
  const [titleEn = "", titleZh = ""] = title.split(" | ");
  const about = { id, kind: "help", url: "", published_at: null } as const;
  const questionOf = (question: string, at: number, refs?: string): WorldQuestion => {
    const numbersOf = (sort: string): number[] =>
      (refs ?? "").split(" ").flatMap((ref) => (ref.startsWith(sort) ? [Number(ref.slice(1)) - 1] : []));
    const [a, b] = [numbersOf("a"), numbersOf("b")];
    const facts = Array.from({ length: Math.max(a.length, b.length) }, (_, fact) =>
      [en[a[Math.min(fact, a.length - 1)]!], zh[b[Math.min(fact, b.length - 1)]!]].filter((one) => one !== undefined),
    );
    const isAnswerable = refs !== undefined;
    const [outcome, gold] = isAnswerable ? (["answer", [id]] as const) : (["decline", []] as const);
    return { id: `${id}-${at}`, lang: detectLanguage(question, "en"), kind: "center", question, outcome, gold, facts };
  };
  return {
    passages: [
      { ...about, lang: "en", title: titleEn, text: en.join(set === "first" ? " " : "\n") },
      { ...about, lang: "zh", title: titleZh, text: zh.join(set === "first" ? "" : "\n") },
    ],
    questions: [
      ...said("q").map((line, at) => {
        const [question = "", refs = ""] = line.split("\t");
        return questionOf(question, at, refs);
      }),
      ...said("x").map((line, at) => questionOf(line, 100 + at)),
    ],
  };
}
