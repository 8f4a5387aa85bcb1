// Makes answer-network.br, by which a part of an article is judged to answer a question: npm run build && node scripts/make-answer-network.js halves
// It learns from companies' help centers and from encyclopedia passages (scripts/help-centers.js); how well the questions of those that are left out are told is
// printed. What the encoder says of a company is that of the encoder which learned from the other half of the companies: scripts/make-encoder.js wrote it to `halves`.
// The file is described in scripts/attention-trainer.js.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { AttentionNetwork } from "../dist/language/attention/attention-network.js";
import { detectLanguage } from "../dist/language/detect-language.js";
import { areaOf, along, directionsOf, learn, pairOf, readerOf, vocabularyOf, write } from "./attention-trainer.js";
import { learned, left, passagesOf, sources } from "./help-centers.js";
import { seededBelow } from "./seeded-order.js";

const FILE = new URL("../src/assistant/retrieval/answer-network.br", import.meta.url);
const TUNING = JSON.parse(readFileSync(new URL("../src/assistant/retrieval/tuning.json", import.meta.url), "utf8"));
const OTHERS = { best: 2, rest: 12 }; // Units of an article that the question was not asked of: the best by words, and one in so many of the rest.
const UNKNOWN = 0.3; // Of the words: another company uses many that none of these does.
const ALONE = 3; // One in so many questions is also asked where articles are in one language each.

const halves = process.argv[2] ?? "halves";
const program = await programIn("../dist/");
const programs = await Promise.all([0, 1].map((half) => programWith(half)));
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
const read = readerOf(vocabulary, { given: (word) => along(directions, word) });
const below = seededBelow(11);
const lists = [];
for (const [at, company] of learned.entries()) {
  for (const judgements of judgementsOf(company, programs[(at + 1) % programs.length])) {
    const kept = judgements.filter(({ isOfOwn, place }) => isOfOwn || place < OTHERS.best || below(OTHERS.rest) === 0);
    const list = kept.map((one) => pairOf(read(one.question), read(one.text), one.measures, one.label));
    if (list.length > 0) lists.push(list);
  }
}
const pairs = lists.flat();
console.log(
  `${learned.length} companies, ${lists.length} questions, ${pairs.length} pairs, ${pairs.filter(({ label }) => label === 1).length} right`,
);
const model = learn(vocabulary, lists, { directions, unknown: UNKNOWN });
write(FILE, model, Object.values(sources).flat().join(""), { directions });
validate(new AttentionNetwork(FILE, model.more, program.GIVEN));

async function programIn(folder) {
  const modules = ["answer-index", "rate-units", "rank-articles"];
  const found = await Promise.all(
    modules.map((name) => import(new URL(`${folder}assistant/retrieval/${name}.js`, import.meta.url))),
  );
  return Object.assign({}, ...found);
}

/** The program with the encoder that learned from the questions of one half of the companies. */
async function programWith(half) {
  const copy = `../node_modules/.cache/anp-half-${half}/`;
  const at = (path) => new URL(path, import.meta.url);
  cpSync(at("../dist/"), at(copy), { recursive: true });
  const vectors = brotliDecompressSync(readFileSync(join(halves, `${half}.br`)));
  writeFileSync(at(`${copy}assistant/encoder/term-vectors`), vectors);
  return programIn(copy);
}

/** For each question of a company the units of the articles that are found, and whether a unit answers. */
function judgementsOf(articles, program) {
  const passages = passagesOf(articles);
  const both = new program.AnswerIndex(passages);
  const alone = new program.AnswerIndex(passages.filter(({ id, lang }) => (lang === "en") === (Number(id) % 2 === 0)));
  return articles.flatMap(({ questions }, number) =>
    questions.flatMap((asked, at) => [
      judgedIn(program, both, asked, String(number)),
      ...(at % ALONE === 0 ? [judgedIn(program, alone, asked, String(number))] : []),
    ]),
  );
}

function judgedIn({ rankArticles, matchUnits, measuresOf, textOf }, index, { question, right }, gold) {
  const search = { question, lang: detectLanguage(question, "en"), now: 0 };
  const ranked = rankArticles(index, search).slice(0, TUNING.articles.compared.few);
  return ranked.flatMap((article) => {
    const { passage, lang, details } = article.found;
    const { units } = details();
    const match = matchUnits(article, question);
    const isOfOwn = passage.id === gold;
    const answers = ({ text }) =>
      isOfOwn && right !== undefined && right[lang].some((line) => line.includes(text) || text.includes(line));
    const byPeak = Array.from(units.keys()).sort((a, b) => match.peaks[b] - match.peaks[a]);
    return units.map((unit, at) => {
      return {
        place: byPeak.indexOf(at),
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
  for (const lang of ["en", "zh"]) {
    const [answered, open] = [[], []];
    const counts = { judged: 0, matched: 0, found: 0, firstByWords: 0, first: 0 };
    for (const articles of left) {
      const both = new program.AnswerIndex(passagesOf(articles));
      for (const [number, { questions }] of articles.entries()) {
        for (const asked of questions.filter(({ question }) => detectLanguage(question, "en") === lang)) {
          const read = network.read(asked.question);
          const list = judgedIn(program, both, asked, String(number)).map((one) => ({
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
