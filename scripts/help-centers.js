// The help centers, with questions, that the encoder and the answer network learn from (fixtures/eval/centers/README.md): without those of which questions
// are held out, and without every eighth company, on which what becomes of a question is fitted.
import { readdirSync, readFileSync } from "node:fs";

const FIXTURES = new URL("../fixtures/eval/centers/", import.meta.url);
const HELD_OUT = 3; // Of the first companies, and of the last, every third.
const LEFT = 8; // One in so many companies is left out.

const textsIn = (folder) =>
  readdirSync(new URL(folder, FIXTURES))
    .filter((name) => name.endsWith(".txt"))
    .sort()
    .map((name) => readFileSync(new URL(folder + name, FIXTURES), "utf8"));
/** The texts that these are read from. */
export const sources = {
  first: textsIn("./"),
  more: textsIn("more/"),
  later: textsIn("later/"),
  passages: textsIn("passages/"),
};
const blocksOf = (texts) => texts.flatMap((text) => text.split(/^= .*\n/m).slice(1));
const tuned = (blocks) => blocks.filter((_, at) => at % HELD_OUT !== HELD_OUT - 1);
const inLines = { en: "\n", zh: "\n" };
const companies = [
  ...tuned(blocksOf(sources.first)).map((block) => companyOf(block, { en: " ", zh: "" })),
  ...[...blocksOf(sources.more), ...tuned(blocksOf(sources.later))].map((block) => companyOf(block, inLines)),
];
const passages = sources.passages.map((text) => companyOf(text.replace(/^= .*\n/gm, ""), { en: " ", zh: "" }));
/** What is learned from: of each company or subject the articles, `{ titles, lines, questions }`. */
export const learned = [...companies.filter((_, at) => at % LEFT !== 0), ...passages];
/** The companies that are left out. */
export const left = companies.filter((_, at) => at % LEFT === 0);

function companyOf(block, end) {
  const articles = block
    .split(/^@ /m)
    .slice(1)
    .map((text) => articleOf(text));
  return Object.assign(articles, { end });
}

function articleOf(text) {
  const [title, ...lines] = text.trimEnd().split("\n");
  const [en, zh] = title.split(" | ");
  const said = (mark) => lines.flatMap((line) => (line.startsWith(`${mark} `) ? [line.slice(2)] : []));
  const own = { en: said("a"), zh: said("b") };
  const questions = [
    ...said("q").map((line) => {
      const [question, refs] = line.split("\t");
      const of = (mark) => refs.split(" ").flatMap((ref) => (ref.startsWith(mark) ? [Number(ref.slice(1)) - 1] : []));
      return { question, right: { en: of("a").map((at) => own.en[at]), zh: of("b").map((at) => own.zh[at]) } };
    }),
    ...said("x").map((question) => ({ question, right: undefined })),
  ];
  return { titles: { en, zh }, lines: own, questions };
}

/** The articles of a company in both languages, as the index takes them. */
export function passagesOf(articles) {
  const about = { kind: "help", url: "", published_at: null };
  return articles.flatMap(({ titles, lines }, at) =>
    ["en", "zh"].map((lang) => {
      const text = lines[lang].join(articles.end[lang]);
      return { ...about, id: String(at), lang, title: titles[lang], text };
    }),
  );
}
