// Makes answer-network.br, by which a part of an article is judged to answer a question: npm run build && node scripts/make-answer-network.js
// It learns from companies' help centers and from encyclopedia passages (fixtures/eval/centers/README.md), without those of which questions are held out, and
// without every eighth company: what becomes of a question is fitted on these, and how well their questions are told is printed.
// The file is described in scripts/attention-trainer.js.
import { readdirSync, readFileSync } from "node:fs";
import { AnswerIndex } from "../dist/assistant/retrieval/answer-index.js";
import { matchUnits } from "../dist/assistant/retrieval/match-units.js";
import { GIVEN, measuresOf, textOf } from "../dist/assistant/retrieval/judge-units.js";
import { rankArticles } from "../dist/assistant/retrieval/rank-articles.js";
import { AttentionNetwork } from "../dist/language/attention/attention-network.js";
import { detectLanguage } from "../dist/language/detect-language.js";
import { areaOf, along, directionsOf, learn, pairOf, readerOf, vocabularyOf, write } from "./attention-trainer.js";
import { seededBelow } from "./seeded-order.js";

const FIXTURES = new URL("../fixtures/eval/centers/", import.meta.url);
const FILE = new URL("../src/assistant/retrieval/answer-network.br", import.meta.url);
const HELD_OUT = 3; // Of the first companies, and of the last, every third.
const TUNING = JSON.parse(readFileSync(new URL("../src/assistant/retrieval/tuning.json", import.meta.url), "utf8"));
const OTHERS = 3; // One in so many units of an article that the question was not asked of.
const UNKNOWN = 0.3; // Of the words: another company uses many that none of these does.
const ALONE = 3; // One in so many questions is also asked where articles are in one language each.
const LEFT = 8; // One in so many companies is left out.

const textsIn = (folder) =>
  readdirSync(new URL(folder, FIXTURES))
    .filter((name) => name.endsWith(".txt"))
    .sort()
    .map((name) => readFileSync(new URL(folder + name, FIXTURES), "utf8"));
const sources = {
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
const learned = [...companies.filter((_, at) => at % LEFT !== 0), ...passages];
const vocabulary = vocabularyOf(
  learned.flatMap((articles) =>
    articles.flatMap(({ lines, titles, questions }) => [
      ...Object.values(titles),
      ...lines.en,
      ...lines.zh,
      ...questions.map(({ question }) => question),
    ]),
  ),
);
const directions = directionsOf(vocabulary);
const read = readerOf(vocabulary, (word) => along(directions, word));
const below = seededBelow(11);
const lists = [];
for (const company of learned) {
  for (const judgements of judgementsOf(company)) {
    const kept = judgements.filter(({ isOfOwn }) => isOfOwn || below(OTHERS) === 0);
    const list = kept.map((one) => pairOf(read(one.question), read(one.text), one.measures, one.label));
    if (list.length > 0) lists.push(list);
  }
}
const pairs = lists.flat();
console.log(
  `${learned.length} companies, ${lists.length} questions, ${pairs.length} pairs, ${pairs.filter(({ label }) => label === 1).length} right`,
);
const model = learn(vocabulary, lists, { directions, unknown: UNKNOWN });
write(FILE, model, Object.values(sources).flat().join(""), directions);
validate(new AttentionNetwork(FILE, model.more, GIVEN));

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

function passagesOf(articles) {
  const about = { kind: "help", url: "", published_at: null };
  return articles.flatMap(({ titles, lines }, at) =>
    ["en", "zh"].map((lang) => {
      const text = lines[lang].join(articles.end[lang]);
      return { ...about, id: String(at), lang, title: titles[lang], text };
    }),
  );
}

/** For each question of a company the units of the articles that are found, and whether a unit answers. */
function judgementsOf(articles) {
  const passages = passagesOf(articles);
  const both = new AnswerIndex(passages);
  const alone = new AnswerIndex(passages.filter(({ id, lang }) => (lang === "en") === (Number(id) % 2 === 0)));
  return articles.flatMap(({ questions }, number) =>
    questions.flatMap((asked, at) => [
      judgedIn(both, asked, String(number)),
      ...(at % ALONE === 0 ? [judgedIn(alone, asked, String(number))] : []),
    ]),
  );
}

function judgedIn(index, { question, right }, gold) {
  const ranked = rankArticles(index, { question, lang: detectLanguage(question, "en"), now: 0 }).slice(
    0,
    TUNING.articles.compared.usual,
  );
  return ranked.flatMap((article) => {
    const { passage, lang, details } = article.found;
    const { units } = details();
    const match = matchUnits(article, question);
    const isOfOwn = passage.id === gold;
    const answers = ({ text }) =>
      isOfOwn && right !== undefined && right[lang].some((line) => line.includes(text) || text.includes(line));
    return units.map((unit, at) => {
      return {
        question,
        article,
        text: textOf(article.found, unit),
        peak: match.peaks[at],
        measures: measuresOf(article, match, at),
        label: answers(unit) ? 1 : 0,
        isOfOwn,
      };
    });
  });
}

/** Prints for each language how surely what is answered is told from what is left open, how often the best unit of the right article by the network, and
 * by words, is one that answers, and how often the first article is right, by words and with the network. */
function validate(network) {
  const tested = companies.filter((_, at) => at % LEFT === 0);
  for (const lang of ["en", "zh"]) {
    const [answered, open] = [[], []];
    const counts = { judged: 0, matched: 0, found: 0, firstByWords: 0, first: 0 };
    for (const articles of tested) {
      const both = new AnswerIndex(passagesOf(articles));
      for (const [number, { questions }] of articles.entries()) {
        for (const asked of questions.filter(({ question }) => detectLanguage(question, "en") === lang)) {
          const read = network.read(asked.question);
          const list = judgedIn(both, asked, String(number)).map((one) => ({
            ...one,
            logit: network.compare(read, network.read(one.text), one.measures),
          }));
          const most = Math.max(-20, ...list.map(({ logit }) => logit));
          (asked.right === undefined ? open : answered).push(most);
          if (asked.right === undefined || list.length === 0) continue;
          const best = (of, key) => of.reduce((a, b) => (key(b) > key(a) ? b : a));
          const own = list.filter(({ isOfOwn }) => isOfOwn);
          if (own.length > 0) {
            counts.found++;
            counts.judged += best(own, ({ logit }) => logit).label;
            counts.matched += best(own, ({ peak }) => peak).label;
          }
          counts.firstByWords += Number(list[0].isOfOwn);
          counts.first += Number(
            best(
              list,
              ({ article, logit }) =>
                article.order + TUNING.articles.judged * Math.max(TUNING.windows.judged.least, logit),
            ).isOfOwn,
          );
        }
      }
    }
    const share = (count, of) => (count / of).toFixed(3);
    console.log(
      `${lang}: area under the curve ${areaOf(answered, open).toFixed(3)}; unit ${share(counts.matched, counts.found)} -> ${share(counts.judged, counts.found)}; ` +
        `article ${share(counts.firstByWords, answered.length)} -> ${share(counts.first, answered.length)}`,
    );
  }
}
