// Makes sentiment-weights.br from titles whose sentiment is labelled: npm run build && node scripts/make-sentiment.js
// With the word validate it makes nothing, and prints how well a model of four fifths of the titles judges the others.
// The titles in `headlines` (a line each: label, tab, title) were written for it by authors who saw neither the program nor
// the titles that it is measured on. Learned is a multinomial logistic regression of what `gramsOf` and `classGramsOf` find in
// a title, neutral the class of reference, with a ridge, by AdaGrad (Duchi, Hazan & Singer 2011). Nothing is random: the same
// titles give the same file. The file, compressed: the parts that some titles have, a line each, and an empty line; their
// weights, for positive and for negative, as signed bytes; the scale of these, and what each title has (32-bit floats,
// little-endian); last, two SHA-256: of the files that it learned from, in the order of `LEARNED_FROM`, and of the parts
// of every fortieth title, a line each title, the parts sorted and separated by tabs. By these a test sees that either has
// changed.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { classGramsOf, gramsOf, likeliestSentiment, shrinkage } from "../dist/news/sentiment/sentiment-model.js";
import { seededBelow, shuffled } from "./seeded-order.js";

const ROOM = new URL("../src/news/sentiment/", import.meta.url);
const LEAST_TITLES = 10;
const TRAINING = { epochs: 12, rate: 0.1, ridge: 3e-3 };
const FOLDS = 5;
const SIDES = ["positive", "negative"];

const SAMPLED = 40;
const LEARNED_FROM = ["headlines/en.tsv", "headlines/zh.tsv", "../../language/data/word-classes.txt"];

const [en, zh, classes] = LEARNED_FROM.map((file) => readFileSync(new URL(file, ROOM), "utf8"));
const titles = [en, zh].map((text) => text.trimEnd().split("\n"));
const examples = titles.map((lines) =>
  lines.map((line) => {
    const [label, title] = line.split("\t");
    return { label, grams: [...gramsOf(title), ...classGramsOf(title)] };
  }),
);
if (process.argv[2] === "validate") for (const list of examples) validate(list);
else write(learn(examples.flat()));

/** Titles that stand near to each other are alike, so a fold is made of blocks of them. */
function validate(list) {
  const block = Math.ceil(list.length / FOLDS ** 2);
  const guesses = list.map(() => "");
  for (let fold = 0; fold < FOLDS; fold++) {
    const isOut = (at) => Math.floor(at / block) % FOLDS === fold;
    const model = learn(list.filter((_, at) => !isOut(at)));
    for (const [at, example] of list.entries()) if (isOut(at)) guesses[at] = guessOf(model, example);
  }
  const f1 = ["neutral", ...SIDES].map((label) => {
    const count = (test) => list.filter((example, at) => test(example.label === label, guesses[at] === label)).length;
    return (2 * count((is, said) => is && said)) / (count((is) => is) + count((_, said) => said));
  });
  console.log(`${list.length} titles: macro F1 ${((f1[0] + f1[1] + f1[2]) / 3).toFixed(3)}`);
}

function guessOf({ numbers, weights }, { grams }) {
  const row = rowOf(numbers, { grams });
  return likeliestSentiment(...weights.map((side) => logitOf(side, row)));
}

/** Where the weights of an example lie, and its values there: first what each has. */
function rowOf(numbers, { label, grams }) {
  const known = grams.flatMap((gram) => numbers.get(gram) ?? []);
  const share = shrinkage(known.length);
  const places = [0, ...known.map((number) => 1 + number)];
  return { label, places, values: [1, ...known.map(() => share)] };
}

function logitOf(side, { places, values }) {
  let sum = 0;
  for (let at = 0; at < places.length; at++) sum += values[at] * side[places[at]];
  return sum;
}

function learn(list) {
  const counts = new Map();
  for (const { grams } of list) for (const gram of grams) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  const grams = Array.from(counts)
    .flatMap(([gram, count]) => (count >= LEAST_TITLES ? [gram] : []))
    .sort();
  const numbers = new Map(grams.map((gram, number) => [gram, number]));
  const rows = list.map((example) => rowOf(numbers, example));
  const size = 1 + grams.length;
  const weights = SIDES.map(() => new Float64Array(size));
  const squares = SIDES.map(() => new Float64Array(size).fill(1e-4));
  const below = seededBelow(1);
  for (let epoch = 1; epoch <= TRAINING.epochs; epoch++) {
    for (const row of shuffled(rows, below)) {
      const powers = weights.map((side) => Math.exp(logitOf(side, row)));
      const total = 1 + powers[0] + powers[1];
      for (const [number, side] of weights.entries()) {
        const error = powers[number] / total - Number(row.label === SIDES[number]);
        for (let at = 0; at < row.places.length; at++) {
          const place = row.places[at];
          const gradient = error * row.values[at] + TRAINING.ridge * side[place];
          squares[number][place] += gradient ** 2;
          side[place] -= (TRAINING.rate * gradient) / Math.sqrt(squares[number][place]);
        }
      }
    }
  }
  return { grams, numbers, weights };
}

function write({ grams, weights }) {
  const own = grams.flatMap((_, at) => weights.map((side) => side[1 + at]));
  const scale = own.reduce((greatest, weight) => Math.max(greatest, Math.abs(weight)), 0) / 127;
  const floats = [scale, ...weights.map((side) => side[0])];
  const parts = [
    Buffer.from(`${grams.join("\n")}\n\n`),
    Buffer.from(Int8Array.from(own, (weight) => Math.round(weight / scale)).buffer),
    Buffer.from(Float32Array.from(floats).buffer),
    sha256([en, zh, classes].join("")),
    sha256(sampledParts().join("\n")),
  ];
  const compressed = brotliCompressSync(Buffer.concat(parts));
  writeFileSync(new URL("sentiment-weights.br", ROOM), compressed);
  console.log(`${examples.flat().length} titles, ${grams.length} parts; compressed ${compressed.length} bytes`);
}

function sampledParts() {
  const sampled = examples.flat().filter((_, at) => at % SAMPLED === 0);
  return sampled.map(({ grams }) => [...new Set(grams)].sort().join("\t"));
}

function sha256(text) {
  return createHash("sha256").update(text).digest();
}
