// Makes title-network.br, by which titles are judged to report one event or two: npm run build && node scripts/make-title-network.js
// With the word validate it learns from the second and third part of the labelled groups alone, and prints how well the first is told.
// It learns from groups of titles (fixtures/eval/news/README.md) that are not held out: those of one event belong together; those that say something else of it,
// and the titles of other groups that are most like one, do not; nor do those of one event of which one names another company, person or place
// instead. Few names are known to it: three words and names in ten are taken for unknown, of a name its kind is left.
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
const SAME = 0.7; // What a pair of one event weighs, and one with another name.
const REPLACED = 3; // One pair of one event in so many is also given another name.
const UNKNOWN = 0.3;
const LIKE = { own: 2, other: 1, looked: 60, frequent: 1 / 30 }; // Titles of other groups, of the own language and the other; terms of more titles do not count.
const OTHER = { place: 2, name: 3 }; // Places among the measures of the rules (src/news/topics/distinctions.ts).
const isValidated = process.argv[2] === "validate";

const parts = ["groups/", "groups-later/", "groups-contrasts/"].map((folder) =>
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
  for (const { own, near } of [en, zh]) {
    for (const [at, a] of own.entries()) {
      for (const b of own.slice(at + 1)) addPair(a, b, 1);
      for (const b of near) addPair(a, b, 0);
    }
  }
  // Half of those across languages.
  for (const a of en.own) for (const b of zh.own) if (below(2)) addPair(a, b, 1);
  for (const a of en.own) for (const b of zh.near) if (below(2)) addPair(a, b, 0);
  for (const a of zh.own) for (const b of en.near) if (below(2)) addPair(a, b, 0);
  for (const [a, b] of translated) if (below(2)) addPair(a, b, 1);
}
addLikeTitles();
addOtherNames();
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
  const [copiesEn, copiesZh] = [said("k").slice(0, 1), said("k").slice(1)];
  return {
    en: { own: [...said("e"), ...copiesEn], near: near.map(([en]) => en) },
    zh: { own: [...said("z"), ...copiesZh], near: near.map(([, zh]) => zh) },
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

function traitsOfTitle(title) {
  if (!traits.has(title)) traits.set(title, traitsOf(title, headlineTermsOf(title, assetsInNews(title)).keys()));
  return traits.get(title);
}

function rulesOfTitles(a, b) {
  return rulesOf(traitsOfTitle(a), traitsOfTitle(b)).measures;
}

/** In either order. */
function addPair(a, b, label) {
  const [x, y] = below(2) ? [b, a] : [a, b];
  pairs.push(pairOf(read(x), read(y), rulesOfTitles(x, y), label, label === 1 ? SAME : 1));
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
  const lengths = all.map(({ title }) => Math.sqrt(8 + read(title).units.length));
  const scores = new Float64Array(all.length);
  for (const { title, lang, number } of all) {
    const found = [];
    for (const { key, rarity } of read(title).units) {
      if (postings.get(key).length > LIKE.frequent * all.length) continue;
      for (const at of postings.get(key)) {
        if (all[at].number === number) continue;
        if (scores[at] === 0) found.push(at);
        scores[at] += rarity;
      }
    }
    const best = found
      .map((at) => [at, scores[at] / lengths[at]])
      .sort((x, y) => y[1] - x[1] || x[0] - y[0])
      .slice(0, LIKE.looked)
      .map(([at]) => all[at]);
    for (const at of found) scores[at] = 0;
    const own = best.filter((other) => other.lang === lang).slice(0, LIKE.own);
    const across = best.filter((other) => other.lang !== lang).slice(0, LIKE.other);
    for (const other of [...own, ...across]) addPair(title, other.title, 0);
  }
}

/** Adds titles of one event of which the second names another than both do, of the same kind. */
function addOtherNames() {
  const pools = new Map();
  for (const unit of new Set(titles.flatMap((title) => read(title).units))) {
    const kind = kindOf(unit);
    if (kind) (pools.get(kind) ?? pools.set(kind, []).get(kind)).push(unit);
  }
  for (const { en, zh } of groups) {
    const all = [...en.own, ...zh.own];
    for (const [at, a] of all.entries())
      for (const b of all.slice(at + 1)) if (below(REPLACED) === 0) addOtherName(a, b, pools);
  }
}

function addOtherName(a, b, pools) {
  const [one, other] = [read(a), read(b)];
  const inOther = new Set(other.units.map(({ key }) => key));
  const shared = one.units.filter((unit) => inOther.has(unit.key) && kindOf(unit));
  if (shared.length === 0) return;
  const named = shared[below(shared.length)];
  const kind = kindOf(named);
  const instead = pools.get(kind)[below(pools.get(kind).length)];
  if (inOther.has(instead.key)) return;
  const replaced = { ...other, units: other.units.map((unit) => (unit.key === named.key ? instead : unit)) };
  const rules = rulesOfTitles(a, b);
  if (/^[@$]/.test(kind)) rules[/^@(?:country|city)$/.test(kind) ? OTHER.place : OTHER.name] = 1;
  pairs.push(below(2) ? pairOf(replaced, one, rules, 0, SAME) : pairOf(one, replaced, rules, 0, SAME));
}

/** What a name is replaced by others of; undefined of other units. */
function kindOf({ key, sort, isName, isKnown }) {
  if (sort === "asset") return key.replace(/(?<=^\$).*|:.*/, "");
  if (sort === "word" && isName) return "name";
  return sort === "han" && !isKnown && key.length > 1 ? "han" : undefined;
}

function validate(network) {
  const logitOf = (a, b) => network.compare(network.read(a, names), network.read(b, names), rulesOfTitles(a, b));
  for (const lang of ["en", "zh"]) {
    const [same, near] = [[], []];
    for (const group of older) {
      const { own, near: others } = group[lang];
      for (const [at, a] of own.entries()) {
        for (const b of own.slice(at + 1)) same.push(logitOf(a, b));
        for (const b of others) near.push(logitOf(a, b));
      }
    }
    console.log(
      `${lang}: area under the curve ${areaOf(same, near).toFixed(3)}, ${same.length} pairs of one event, ${near.length} of two`,
    );
  }
}
