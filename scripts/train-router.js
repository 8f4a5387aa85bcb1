// Trains the router's classifier (src/assistant/routing/classifier). The build (scripts/bundle.js) writes what `trainedRouter`
// returns to the file router.trained, beside the compiled module that reads it and into the bundle.
// Nothing is random: the same examples give the same bytes.
import { serialize } from "node:v8";
import { createVectorizer, featuresOf, marginOf } from "../dist/assistant/routing/classifier/classifier.js";
import { conceptsIn } from "../dist/assistant/routing/router.js";
import { canonical } from "../dist/language/tokenize.js";
import { readRows } from "../dist/runtime/text/data-rows.js";

const SEEDS = new URL("../src/assistant/routing/seeds.rows", import.meta.url);
/** Cost of a margin violation, maximum passes over the examples, and weight of an example of the (rarer) class. */
const TRAINING = { cost: 0.5, epochs: 6, positive: 3 };

/** What `router.trained` holds: the model trained on the seeds, and their labels by canonical text. */
export function trainedRouter() {
  const examples = seedExamples();
  const known = new Map(examples.map(({ text, label }) => [canonical(text), label]));
  return serialize({ trained: train(examples, conceptsIn), known });
}

/** The seed utterances as examples. */
export function seedExamples() {
  return readRows(SEEDS).map(([[label = ""] = [], text = []]) => ({ text: text.join(", "), label }));
}

/** A model that labels texts as the examples are. @param annotate adds features to those of a text, see featuresOf */
export function train(examples, annotate) {
  const labels = [...new Set(examples.map((example) => example.label))];
  const numbers = new Map(labels.map((label, at) => [label, at]));
  const features = examples.map((example) => featuresOf(example.text, annotate));
  const vocabulary = fitVocabulary(features);
  const vectorizer = createVectorizer(vocabulary);
  const vectors = features.map((raw) => vectorizer.vector(raw));
  const gold = Int32Array.from(examples, (example) => numbers.get(example.label));
  return { labels, vocabulary, weights: trainLinear(vectors, gold, labels.length, vocabulary.keys.length) };
}

/** The vocabulary and IDF of the texts that have these features. */
function fitVocabulary(texts) {
  const documents = new Map();
  for (const { words, characters } of texts) {
    for (const key of new Set([...words, ...characters])) documents.set(key, (documents.get(key) ?? 0) + 1);
  }
  return {
    keys: Uint32Array.from(documents.keys()),
    idf: Float64Array.from(documents.values(), (count) => Math.log((1 + texts.length) / (1 + count)) + 1),
  };
}

/** One-vs-rest linear SVMs, squared hinge loss, by dual coordinate descent with shrinking (Hsieh, Chang, Lin, Keerthi &
 * Sundararajan, ICML 2008). @returns one row per class: one weight per feature, then the bias */
function trainLinear(vectors, labels, classes, features) {
  const { cost, epochs, positive } = TRAINING;
  const count = vectors.length;
  const weights = Array.from({ length: classes }, () => new Float32Array(features + 1));
  const squares = vectors.map(({ weights: values }) => values.reduce((sum, value) => sum + value * value, 1));
  const order = visitOrder(count);
  const alpha = new Float64Array(count);
  for (let label = 0; label < classes; label++) {
    const weight = weights[label];
    alpha.fill(0);
    let active = order;
    for (let epoch = 0; epoch < epochs && active.length > 0; epoch++) {
      const kept = [];
      let moved = 0;
      for (const at of active) {
        const vector = vectors[at];
        const sign = labels[at] === label ? 1 : -1;
        const diagonal = 1 / (2 * cost * (sign > 0 ? positive : 1));
        const before = alpha[at];
        const gradient = sign * marginOf(weight, vector) - 1 + diagonal * before;
        // Shrinking: an example far on its correct side is skipped from now on; it rarely becomes active again.
        if (before === 0 && gradient >= 0) continue;
        kept.push(at);
        const after = Math.max(0, before - gradient / (squares[at] + diagonal));
        const step = (after - before) * sign;
        if (step === 0) continue;
        alpha[at] = after;
        moved = Math.max(moved, Math.abs(step));
        for (let i = 0; i < vector.ids.length; i++) weight[vector.ids[i]] += step * vector.weights[i];
        weight[features] += step;
      }
      active = Int32Array.from(kept);
      if (moved < 0.01) break;
    }
  }
  return weights;
}

/** A fixed shuffle: a stride coprime to the count visits everything once. */
function visitOrder(count) {
  let stride = Math.max(1, Math.floor(count * 0.6180339887));
  while (gcd(stride, count) !== 1) stride++;
  return Int32Array.from({ length: count }, (_, at) => (at * stride) % count);
}

const gcd = (a, b) => (b === 0 ? a : gcd(b, a % b));
