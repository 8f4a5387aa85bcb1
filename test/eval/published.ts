import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Passage } from "../../src/assistant/passage.ts";
import type { Language } from "../../src/contract/schemas/shared-fields.ts";
import { sentencesOf } from "../../src/language/sentences.ts";
import { seeded } from "../faults/load/seeded.ts";

const DATA = process.env["ANP_DATA"];
/** Whether the published questions and passages are there. */
export const HAS_PUBLISHED = DATA !== undefined && existsSync(join(DATA, "retrieval"));

/** A question of a published set, with the passage that answers it. */
export interface PublishedQuestion {
  readonly id: string;
  readonly question: string;
  readonly gold_passage: string;
  readonly answers: readonly string[];
}

/** Questions in one language, and the files of theirs and of the passages. */
export interface PublishedSet {
  readonly name: string;
  readonly lang: Language;
  readonly passages: string;
  readonly queries: string;
}

const XQUAD = {
  en: { lang: "en", passages: "xquad/passages.en.jsonl", queries: "xquad/queries.en.jsonl" },
  zh: { lang: "zh", passages: "xquad/passages.zh.jsonl", queries: "xquad/queries.zh.jsonl" },
} as const;
const CMRC = {
  lang: "zh",
  passages: "cmrc2018/passages.trial.jsonl",
  queries: "cmrc2018/queries.trial.jsonl",
} as const;
export const SETS: readonly PublishedSet[] = [
  { name: "CMRC 2018", ...CMRC },
  { name: "XQuAD en", ...XQUAD.en },
  { name: "XQuAD zh", ...XQUAD.zh },
];
/** Asked in the other language than the passages'. */
export const CROSS: readonly PublishedSet[] = [
  { name: "XQuAD en, of Chinese passages", ...XQUAD.en, passages: XQUAD.zh.passages },
  { name: "XQuAD zh, of English passages", ...XQUAD.zh, passages: XQUAD.en.passages },
];

/** The lines of a published file. */
export function linesOf(...path: string[]): string[] {
  return readFileSync(join(DATA ?? "", ...path), "utf8")
    .trim()
    .split("\n");
}

export const rowsOf = <T>(path: string): T[] => linesOf("retrieval", path).map((line) => JSON.parse(line) as T);

/** Questions about other things than what any of our companies does, in two parts: what people ask an assistant beyond its
 * scope (CLINC150), and what tourists ask (CrossWOZ). */
export function foreignQuestions(): string[][] {
  const beyond = ["oos_train.tsv", "oos_val.tsv"].map((file) =>
    linesOf("routing", "clinc150", file).map((line) => line.split("\t")[0]!),
  );
  const lines = linesOf("routing", "crosswoz", "user_turns.val.jsonl");
  const turns = lines.map((line) => (JSON.parse(line) as { text: string }).text);
  const asked = turns.filter((text, at) => at % 10 === 0 && /[?？]/.test(text));
  return beyond.map((questions, part) => [...questions, ...asked.filter((_, at) => at % 2 === part)]);
}

export function passagesOf(path: string): Passage[] {
  const lang = path.includes(".en.") ? "en" : "zh";
  return rowsOf<{ id: string; title?: string; text: string }>(path).map(({ id, title = "", text }) => ({
    id,
    kind: "help",
    title,
    text,
    url: "",
    lang,
    published_at: null,
  }));
}

/** Parts of a set of which each is left out once. A part's passages are neighbours: those of one subject are together. */
export const PARTS = 5;

/** The part that each passage of a set belongs to. */
export function partsOf(passages: readonly Passage[]): Map<string, number> {
  return new Map(passages.map(({ id }, at) => [id, Math.floor((at * PARTS) / passages.length)]));
}

/** Further passages, each of the sentences of two others, and with the title of a third. */
export function recombined(passages: readonly Passage[], count: number, seed: string): Passage[] {
  const random = seeded("recombined", seed);
  const texts = passages.map(({ text }) => text.split("\n").flatMap((line) => sentencesOf(line)));
  return Array.from({ length: count }, (_, at) => {
    const { lang, title } = random.pick(passages);
    const halves = [random.pick(texts), random.pick(texts)].flatMap((sentences) => {
      const half = Math.ceil(sentences.length / 2);
      const from = random.below(sentences.length - half + 1);
      return sentences.slice(from, from + half);
    });
    const text = halves.join(lang === "zh" ? "" : " ");
    return { id: `more-${seed}-${at}`, kind: "help", title, text, url: "", lang, published_at: null };
  });
}
