// Makes title-network.br, by which titles are judged to report one event or two: npm run build && node scripts/make-title-network.js
// With the word validate it learns from the second and third part of the labelled groups alone, and prints how well the first is told.
// It learns from groups of titles (fixtures/eval/news/README.md) that are not held out: those of one event belong together; those that say something else of it,
// and the titles of other groups that are most like one, do not. Few names are known to it: three words and names in ten are taken for unknown, of a
// name its kind is left.
// The file is described in scripts/attention-trainer.js.
import { readdirSync, readFileSync } from "node:fs";
import { assetsInNews } from "../dist/language/assets.js";
import { AttentionNetwork } from "../dist/language/attention/attention-network.js";
import { newsNames } from "../dist/language/name-table.js";
import { headlineTermsOf } from "../dist/language/terms.js";
import { rulesOf, traitsOf } from "../dist/news/topics/distinctions.js";
import { areaOf, learn, pairOf, readerOf, vocabularyOf, write } from "./attention-trainer.js";
import { seededBelow } from "./seeded-order.js";

const FIXTURES = new URL("../fixtures/eval/news/", import.meta.url);
const FILE = new URL("../src/news/topics/title-network.br", import.meta.url);
const SAME = 0.7; // What a pair of one event weighs.
const UNKNOWN = 0.3;
const LIKE = { own: 2, other: 1, looked: 60, frequent: 1 / 30 }; // Titles of other groups, of the own language and the other; terms of more titles do not count.
const isValidated = process.argv[2] === "validate";

const parts = ["groups/", "groups-later/"].map((folder) =>
  readdirSync(new URL(folder, FIXTURES))
    .sort()
    .map((file) => readFileSync(new URL(`${folder}${file}`, FIXTURES), "utf8")),
);
const first = readFileSync(new URL("groups.jsonl", FIXTURES), "utf8");
const short = parts.flatMap((texts) =>
  texts
    .flatMap((text) => text.split(/^=\n/m).slice(1))
    .filter((_, at) => at % 3 !== 2)
    .map(groupOf),
);
const older = first
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line))
  .filter(({ split }) => split === "tuning")
  .map(olderGroupOf);
const groups = isValidated ? short : [...short, ...older];
const titles = groups.flatMap(({ en, zh }) => [...en.own, ...en.near, ...zh.own, ...zh.near]);
const names = newsNames();
const vocabulary = vocabularyOf(titles, names);
const read = readerOf(vocabulary, { names });
const traits = new Map();
const below = seededBelow(7);
const pairs = [];
for (const { en, zh, translated = [] } of groups) {
  for (const [{ own, near }, lang] of [
    [en, "en"],
    [zh, "zh"],
  ]) {
    for (const [at, a] of own.entries()) {
      for (const b of own.slice(at + 1)) addPair(a, b, lang, lang, 1);
      for (const b of near) addPair(a, b, lang, lang, 0);
    }
  }
  // Half of those across languages.
  for (const a of en.own) for (const b of zh.own) if (below(2)) addPair(a, b, "en", "zh", 1);
  for (const a of en.own) for (const b of zh.near) if (below(2)) addPair(a, b, "en", "zh", 0);
  for (const a of zh.own) for (const b of en.near) if (below(2)) addPair(a, b, "zh", "en", 0);
  for (const [a, b] of translated) if (below(2)) addPair(a, b, "en", "zh", 1);
}
addLikeTitles();
console.log(`${groups.length} groups, ${pairs.length} pairs`);
const model = learn(
  vocabulary,
  pairs.map((pair) => [pair]),
  { unknown: UNKNOWN },
);
const file = isValidated ? new URL("file:///tmp/title-network.br") : FILE;
write(file, model, [...parts.flat(), first].join(""), { names });
if (isValidated) validate(new AttentionNetwork(file, model.more));

function groupOf(block) {
  const lines = block.trimEnd().split("\n");
  const said = (mark) => lines.flatMap((line) => (line.startsWith(`${mark} `) ? [line.slice(2)] : []));
  const near = said("n").map((line) => line.split("\t"));
  const [copyEn, copyZh] = said("k");
  return {
    en: { own: [...said("e"), copyEn], near: near.map(([en]) => en) },
    zh: { own: [...said("z"), copyZh], near: near.map(([, zh]) => zh) },
    translated: near,
  };
}

function olderGroupOf(group) {
  const side = (lang) => ({
    own: [...group[lang], ...group[`copies_${lang}`].map(([, title]) => title)],
    near: group[`near_${lang}`].map(([, title]) => title),
  });
  return { en: side("en"), zh: side("zh") };
}

function traitsOfTitle(title, lang) {
  if (!traits.has(title)) traits.set(title, traitsOf(title, lang, headlineTermsOf(title, assetsInNews(title)).keys()));
  return traits.get(title);
}

/** In either order. */
function addPair(a, b, langA, langB, label) {
  const [[x, langX], [y, langY]] = below(2)
    ? [
        [b, langB],
        [a, langA],
      ]
    : [
        [a, langA],
        [b, langB],
      ];
  const rules = rulesOf(traitsOfTitle(x, langX), traitsOfTitle(y, langY)).measures;
  pairs.push(pairOf(read(x), read(y), rules, label, label === 1 ? SAME : 1));
}

/** Adds each title with those of other groups that share the rarest units with it. */
function addLikeTitles() {
  const all = groups.flatMap((group, number) =>
    ["en", "zh"].flatMap((lang) => [...group[lang].own, ...group[lang].near].map((title) => ({ title, lang, number }))),
  );
  const postings = new Map();
  for (const [at, { title }] of all.entries()) {
    for (const { key } of read(title).units) (postings.get(key) ?? postings.set(key, []).get(key)).push(at);
  }
  for (const { title, lang, number } of all) {
    const scores = new Map();
    for (const { key, rarity } of read(title).units) {
      if (postings.get(key).length > LIKE.frequent * all.length) continue;
      for (const at of postings.get(key)) if (all[at].number !== number) scores.set(at, (scores.get(at) ?? 0) + rarity);
    }
    const best = Array.from(scores, ([at, score]) => [at, score / Math.sqrt(8 + read(all[at].title).units.length)])
      .sort((x, y) => y[1] - x[1] || x[0] - y[0])
      .slice(0, LIKE.looked)
      .map(([at]) => all[at]);
    const own = best.filter((other) => other.lang === lang).slice(0, LIKE.own);
    const across = best.filter((other) => other.lang !== lang).slice(0, LIKE.other);
    for (const other of [...own, ...across]) addPair(title, other.title, lang, other.lang, 0);
  }
}

function validate(network) {
  const logitOf = (a, b, lang) =>
    network.compare(
      network.read(a, names),
      network.read(b, names),
      rulesOf(traitsOfTitle(a, lang), traitsOfTitle(b, lang)).measures,
    );
  for (const lang of ["en", "zh"]) {
    const [same, near] = [[], []];
    for (const group of older) {
      const { own, near: others } = group[lang];
      for (const [at, a] of own.entries()) {
        for (const b of own.slice(at + 1)) same.push(logitOf(a, b, lang));
        for (const b of others) near.push(logitOf(a, b, lang));
      }
    }
    console.log(
      `${lang}: area under the curve ${areaOf(same, near).toFixed(3)}, ${same.length} pairs of one event, ${near.length} of two`,
    );
  }
}
