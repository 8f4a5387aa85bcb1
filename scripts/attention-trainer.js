// Learns an attention network (src/language/attention) from pairs of texts that are labelled. Nothing is random: the same pairs give the same file.
// A vector begins as the first main directions of what the encoder says of the word (scripts/make-encoder.js), the layers by He et al. 2015.
// Learned by Adam (Kingma & Ba 2015), the vectors by AdaGrad (Duchi, Hazan & Singer 2011), with dropout, and with words taken for unknown ones.
// Of a list of pairs one at most is right, or none is: the chances are a softmax over the logits of the list and that of none, which is 0; of a list of one
// pair that is the logistic function.
// The file, compressed: the words, their characters (`.x`) and classes (`{x}`) that have vectors, a line each, and an empty line; of each its rarity (a byte,
// of 255), then of each the scale of its vector (32-bit float, little-endian), then the vectors (signed bytes); the layers (32-bit floats): of units by own
// vector, by aligned one, by the product of both, by flags and constant; of pairs; and the last one; where words without a vector are given the encoder's, the main
// directions (32-bit floats), along which that is read; last, two SHA-256: of what it learned from, and of the units of
// every fortieth line of it.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { searchTerms } from "../dist/assistant/retrieval/language-index.js";
import { encode } from "../dist/assistant/encoder/encoder.js";
import { SHARPNESS, SIZES, SUMS } from "../dist/language/attention/attention-network.js";
import { differenceOf, FLAGS, LIKEST, MEASURES, writeFlags } from "../dist/language/attention/difference.js";
import { MOST as MOST_OF, unitsOf } from "../dist/language/attention/units.js";
import { hasHan } from "../dist/language/detect-language.js";
import { segment } from "../dist/language/dictionary/dictionary.js";
import { fold, stem, tokenizeFolded } from "../dist/language/tokenize.js";
import { seededBelow, shuffled } from "./seeded-order.js";

const { vector: V, unit: U, pair: P } = SIZES;
const X = 3 * V + FLAGS + 1; // What the layer of units reads: own, aligned, product, flags, 1.
const LEAST_TEXTS = 3;
const RATES = [1, 0.5, 0.2]; // Of the epochs.
const ADAM = { rate: 0.003, first: 0.9, second: 0.999 };
const ADAGRAD = { rate: 0.03, initial: 0.01 };
const BATCH = 32;
const DROPOUT = 0.2;
const UNKNOWN = 0.1;
const LEAST_ERROR = 0.002; // What a pair says that is less wrong is not learned from.
const SAMPLED = 40;
const MOST = MOST_OF.units;

/** What has vectors: all parts of units that some texts have. @param names see unitsOf */
export function vocabularyOf(texts, names) {
  const words = new Map();
  const count = (counts, list) => {
    for (const one of new Set(list)) counts.set(one, (counts.get(one) ?? 0) + 1);
  };
  for (const text of texts) {
    const tokens = tokenizeFolded(fold(text));
    count(
      words,
      tokens.flatMap(({ text: token, han }) => (han ? segment(token) : [stem(token)])),
    );
  }
  const isKnown = (word) => (words.get(word) ?? 0) >= LEAST_TEXTS;
  const parts = new Map();
  for (const text of texts)
    count(
      parts,
      unitsOf(text, isKnown, names).flatMap((unit) => unit.parts),
    );
  const frequent = [...parts].filter(([, times]) => times >= LEAST_TEXTS).sort(([a], [b]) => (a < b ? -1 : 1));
  const rarity = (times) => Math.log(1 + texts.length / (1 + times)) / Math.log(1 + texts.length);
  return new Map(frequent.map(([part, times]) => [part, Math.round(255 * rarity(times)) / 255]));
}

/** The reader of texts by a vocabulary: equal units are one object, with their numbers in the vocabulary.
 * @param given the vector of a word that has none, or is taken for unknown */
export function readerOf(vocabulary, { given, names } = {}) {
  const numbers = new Map(Array.from(vocabulary.keys(), (part, number) => [part, number]));
  const units = new Map();
  const texts = new Map();
  return (text) => {
    const known = texts.get(text);
    if (known) return known;
    const list = unitsOf(text, (word) => vocabulary.has(word), names).map((unit) => {
      const name = `${unit.isName ? "^" : ""}${unit.key} ${unit.parts.join(" ")}`; // As the product names it.
      if (!units.has(name)) {
        const own = unit.parts.flatMap((part) => numbers.get(part) ?? []);
        const rest = unit.parts.flatMap(
          (part) => numbers.get(part !== unit.key ? part : unit.sort === "word" ? "?" : "") ?? [],
        );
        const fixed = given && /word|han/.test(unit.sort) ? given(unit.key) : undefined;
        const isKnown = numbers.has(unit.key);
        units.set(name, { ...unit, rarity: vocabulary.get(unit.key) ?? 1, own, rest, fixed, isKnown });
      }
      return units.get(name);
    });
    texts.set(text, { units: list, isChinese: hasHan(text) });
    return texts.get(text);
  };
}

export const pairOf = (a, b, more, label, weight = 1) => {
  const { only, measures } = differenceOf(a, b, more);
  return { only, measures: Float32Array.from([...measures, 1]), label, weight };
};

/** @param vocabulary the parts that have vectors, with rarities
 * @param lists pairs of which one at most belongs together, or several that say the same, see `pairOf`
 * @param unknown the share of words that are taken for unknown */
export function learn(vocabulary, lists, { directions = directionsOf(vocabulary), unknown = UNKNOWN } = {}) {
  const M = lists[0][0].measures.length;
  const I = 2 * U + M;
  const below = seededBelow(1);
  const uniform = () => below(2 ** 30) / 2 ** 30;
  const normal = () => Math.sqrt(-2 * Math.log(uniform() + 1e-12)) * Math.cos(2 * Math.PI * uniform());
  const he = (rows, columns) =>
    Float64Array.from({ length: rows * columns }, (_, at) =>
      at % columns === columns - 1 ? 0 : normal() * Math.sqrt(2 / columns),
    );
  const vectors = firstVectors(vocabulary, directions, normal);
  const layers = [
    he(U, X),
    he(P, I),
    Float64Array.from({ length: P + 1 }, (_, at) => (at === P ? 0 : normal() * Math.sqrt(1 / P))),
  ];
  const gradients = layers.map((layer) => new Float64Array(layer.length));
  const moments = layers.map((layer) => [new Float64Array(layer.length), new Float64Array(layer.length)]);
  const squares = new Float64Array(vectors.length).fill(ADAGRAD.initial);
  const touched = new Map(); // Of the batch: the gradient by number.
  let step = 0;
  const state = { vectors, layers, gradients, touched, unknown, I };
  for (const [epoch, factor] of RATES.entries()) {
    let [loss, count] = [0, 0];
    for (const batch of batchesOf(shuffled(lists, below))) {
      for (const list of batch) loss += learnList(state, list, below);
      const size = batch.reduce((sum, list) => sum + list.length, 0);
      count += batch.length;
      step += 1;
      for (const [at, layer] of layers.entries()) {
        const [[first, second], gradient] = [moments[at], gradients[at]];
        const rate = (factor * ADAM.rate * Math.sqrt(1 - ADAM.second ** step)) / (1 - ADAM.first ** step);
        for (let i = 0; i < layer.length; i++) {
          const g = gradient[i] / size;
          first[i] = ADAM.first * first[i] + (1 - ADAM.first) * g;
          second[i] = ADAM.second * second[i] + (1 - ADAM.second) * g * g;
          layer[i] -= (rate * first[i]) / (Math.sqrt(second[i]) + 1e-8);
          gradient[i] = 0;
        }
      }
      for (const [number, gradient] of touched) {
        for (let i = 0; i < V; i++) {
          const g = gradient[i] / size;
          const at = V * number + i;
          squares[at] += size * g * g;
          vectors[at] -= (factor * ADAGRAD.rate * g * Math.sqrt(size)) / Math.sqrt(squares[at]);
        }
      }
      touched.clear();
    }
    console.log(`epoch ${epoch + 1}: loss ${(loss / count).toFixed(4)}`);
  }
  return { vocabulary, vectors, layers, more: M - MEASURES - 1 };
}

/** Lists by the number of pairs that are learned from at once, at least. */
function batchesOf(lists) {
  const batches = [];
  let size = BATCH;
  for (const list of lists) {
    if (size >= BATCH) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1).push(list);
    size += list.length;
  }
  return batches;
}

/** Adds the gradients of a list. @returns its loss */
function learnList(state, list, below) {
  const seeds = list.map(() => below(2 ** 30)); // Of what is left out.
  const logits = list.map((pair, at) => judgePair(state, pair, seeds[at]));
  const most = Math.max(0, ...logits);
  const powers = logits.map((logit) => Math.exp(logit - most));
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
  const none = Math.exp(-most);
  const all = none + sum(powers);
  const right = sum(powers.filter((_, at) => list[at].label === 1));
  for (let at = list.length - 1; at >= 0; at--) {
    const { label, weight } = list[at];
    const error = weight * (powers[at] / all - (label === 1 ? powers[at] / right : 0));
    if (Math.abs(error) < LEAST_ERROR) continue;
    if (at < list.length - 1) judgePair(state, list[at], seeds[at]); // What was computed of the last one is there.
    learnPair(state, error);
  }
  return -list[0].weight * Math.log(Math.max(1e-9, (right || none) / all));
}

const encoded = (part) => {
  const vector = encode([searchTerms(part), 1]);
  return vector.some((x) => x !== 0) ? vector : undefined;
};
const isWord = (part) => !/^[.{#$@?]/.test(part);

/** The main directions of what the encoder says of the words. */
export function directionsOf(vocabulary) {
  const known = [...vocabulary.keys()].filter(isWord).map(encoded).filter(Boolean);
  const size = known[0].length;
  const covariance = Array.from({ length: size }, () => new Float64Array(size));
  for (const vector of known)
    for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) covariance[i][j] += vector[i] * vector[j];
  const directions = [];
  for (let number = 0; number < V; number++) {
    let direction = Float64Array.from({ length: size }, (_, i) => 1 / (1 + i));
    let strength = 0;
    for (let step = 0; step < 200; step++) {
      const next = covariance.map((row) => row.reduce((sum, x, at) => sum + x * direction[at], 0));
      strength = Math.hypot(...next);
      direction = Float64Array.from(next, (x) => x / strength);
    }
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++) covariance[i][j] -= strength * direction[i] * direction[j];
    directions.push(direction);
  }
  return directions;
}

/** What the encoder says of a word along the directions; undefined if it does not know it. */
export function along(directions, part) {
  const vector = isWord(part) ? encoded(part) : undefined;
  return vector && directions.map((direction) => direction.reduce((sum, x, at) => sum + x * vector[at], 0));
}

function firstVectors(vocabulary, directions, normal) {
  return Float64Array.from(
    Array.from(
      vocabulary.keys(),
      (part) => along(directions, part) ?? Array.from({ length: V }, () => 0.1 * normal()),
    ).flat(),
  );
}

const perSide = (size) => [new Float64Array(size), new Float64Array(size)];
/** What is computed of one pair, of each side: the vectors of its units, their lengths, what the layer of units reads and says, and the shares of attention. */
const own = perSide(MOST * V);
const lengths = perSide(MOST);
const read = perSide(MOST * X);
const said = perSide(MOST * U);
const shares = perSide(MOST * MOST);
const likest = [new Int32Array(MOST), new Int32Array(MOST)];
const sums = perSide(U);
const dOwn = perSide(MOST * V);
const [cosines, dCosines] = perSide(MOST * MOST); // By first and second unit.
const [dRead, dShares, dSums] = [new Float64Array(X), new Float64Array(MOST), new Float64Array(U)];
const values = new Float64Array(Math.max(U, P));
const [hidden, kept] = [new Float64Array(P + 1).fill(1), new Float64Array(P)];

/** The logit of a pair. @param seed of what is left out */
function judgePair(state, { only: units, measures }, seed) {
  const { layers, unknown, I } = state;
  const [, pairs, last] = layers;
  const { input } = (state.scratch ??= { input: new Float64Array(I), dInput: new Float64Array(I) });
  const below = seededBelow(seed);
  const uniform = () => below(2 ** 30) / 2 ** 30;
  const only = units.map((list) => list.map((unit) => (uniform() < unknown ? unknownOf(unit) : unit)));
  const [n, m] = (state.counts = only.map((list) => list.length));
  state.parts = only.map((list) => list.map((unit) => unit.own));
  for (const [side, list] of only.entries()) sumVectors(state.vectors, list, own[side], lengths[side]);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      let product = 0;
      for (let k = 0; k < V; k++) product += own[0][i * V + k] * own[1][j * V + k];
      cosines[i * MOST + j] = product / (lengths[0][i] * lengths[1][j]);
      dCosines[i * MOST + j] = 0;
    }
  }
  for (const side of [0, 1]) readSide(layers[0], only, side, state.counts);
  for (let i = 0; i < U; i++) {
    input[i] = (sums[0][i] + sums[1][i]) / SUMS;
    input[U + i] = Math.abs(sums[0][i] - sums[1][i]) / SUMS;
  }
  input.set(measures, 2 * U);
  times(pairs, I, input, 0, values);
  for (let row = 0; row < P; row++) {
    kept[row] = uniform() < DROPOUT ? 0 : 1 / (1 - DROPOUT);
    hidden[row] = Math.max(0, values[row]) * kept[row];
  }
  return dot(last, hidden);
}

/** A word as if it had no vector. */
function unknownOf(unit) {
  const { sort, rest, rarity } = unit;
  const isWord = sort === "word" || sort === "han";
  return (unit.unknown ??= { ...unit, own: rest, isKnown: false, rarity: isWord ? 1 : rarity });
}

/** Adds the gradients of the pair that was judged last. */
function learnPair(state, error) {
  const { layers, gradients, counts, parts, I } = state;
  const [, pairs, last] = layers;
  const { input, dInput } = state.scratch;
  const [n, m] = counts;
  dInput.fill(0);
  for (let row = 0; row <= P; row++) {
    gradients[2][row] += error * hidden[row];
    if (row === P || hidden[row] === 0) continue;
    const d = error * last[row] * kept[row];
    for (let i = 0; i < I; i++) {
      gradients[1][row * I + i] += d * input[i];
      dInput[i] += d * pairs[row * I + i];
    }
  }
  for (const side of [0, 1]) dOwn[side].fill(0, 0, counts[side] * V);
  for (const side of [0, 1]) backSide(layers[0], gradients[0], dInput, side, counts);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      const [d, cosine] = [dCosines[i * MOST + j], cosines[i * MOST + j]];
      const [la, lb] = [lengths[0][i], lengths[1][j]];
      for (let k = 0; k < V; k++) {
        const [a, b] = [own[0][i * V + k] / la, own[1][j * V + k] / lb];
        dOwn[0][i * V + k] += (d * (b - cosine * a)) / la;
        dOwn[1][j * V + k] += (d * (a - cosine * b)) / lb;
      }
    }
  }
  for (const [side, list] of parts.entries()) {
    for (const [at, numbers] of list.entries()) {
      for (const number of numbers) {
        let gradient = state.touched.get(number);
        if (gradient === undefined) state.touched.set(number, (gradient = new Float64Array(V)));
        for (let i = 0; i < V; i++) gradient[i] += dOwn[side][at * V + i];
      }
    }
  }
}

function sumVectors(vectors, units, own, lengths) {
  own.fill(0, 0, units.length * V);
  for (let at = 0; at < units.length; at++) {
    const { own: parts, fixed, isKnown } = units[at];
    if (!isKnown && fixed !== undefined) own.set(fixed, at * V);
    for (const number of parts) for (let i = 0; i < V; i++) own[at * V + i] += vectors[V * number + i];
    let square = 0;
    for (let i = 0; i < V; i++) square += own[at * V + i] ** 2;
    lengths[at] = Math.sqrt(square) || 1;
  }
}

/** What is said of the units of one side beside those of the other. */
function readSide(units, only, side, counts) {
  const [x, mine, theirs] = [read[side], own[side], own[1 - side]];
  const others = counts[1 - side];
  sums[side].fill(0);
  for (let at = 0; at < counts[side]; at++) {
    const from = at * X;
    let [total, best] = [0, -1];
    for (let j = 0; j < others; j++) {
      const cosine = cosines[side === 0 ? at * MOST + j : j * MOST + at];
      total += shares[side][at * MOST + j] = Math.exp(SHARPNESS * cosine);
      if (cosine > 0 && (best < 0 || cosine > cosines[side === 0 ? at * MOST + best : best * MOST + at])) best = j;
    }
    likest[side][at] = best;
    x.fill(0, from, from + X);
    for (let j = 0; j < others; j++) {
      const share = (shares[side][at * MOST + j] /= total);
      for (let i = 0; i < V; i++) x[from + V + i] += share * theirs[j * V + i];
    }
    for (let i = 0; i < V; i++) {
      x[from + i] = mine[at * V + i];
      x[from + 2 * V + i] = 2 * mine[at * V + i] * x[from + V + i];
    }
    const cosine = best < 0 ? 0 : cosines[side === 0 ? at * MOST + best : best * MOST + at];
    writeFlags(x, from + 3 * V, only[side][at], only[1 - side], side === 1, cosine);
    x[from + X - 1] = 1;
    times(units, X, x, from, values);
    for (let row = 0; row < U; row++) {
      said[side][at * U + row] = Math.max(0, values[row]);
      if (values[row] > 0) sums[side][row] += values[row];
    }
  }
}

function backSide(units, gradient, dInput, side, counts) {
  const [x, theirs, others] = [read[side], own[1 - side], counts[1 - side]];
  for (let i = 0; i < U; i++) {
    const sign = Math.sign(sums[0][i] - sums[1][i]) * (side === 0 ? 1 : -1);
    dSums[i] = (dInput[i] + sign * dInput[U + i]) / SUMS;
  }
  for (let at = 0; at < counts[side]; at++) {
    const from = at * X;
    dRead.fill(0);
    for (let row = 0; row < U; row++) {
      if (said[side][at * U + row] === 0) continue;
      const d = dSums[row];
      for (let i = 0; i < X; i++) {
        gradient[row * X + i] += d * x[from + i];
        dRead[i] += d * units[row * X + i];
      }
    }
    // The gradient of the aligned vector takes the place of what was read.
    for (let i = 0; i < V; i++) {
      dOwn[side][at * V + i] += dRead[i] + 2 * x[from + V + i] * dRead[2 * V + i];
      dRead[V + i] += 2 * x[from + i] * dRead[2 * V + i];
    }
    let mean = 0;
    for (let j = 0; j < others; j++) {
      dShares[j] = 0;
      const share = shares[side][at * MOST + j];
      for (let i = 0; i < V; i++) {
        dShares[j] += dRead[V + i] * theirs[j * V + i];
        dOwn[1 - side][j * V + i] += share * dRead[V + i];
      }
      mean += dShares[j] * share;
    }
    for (let j = 0; j < others; j++) {
      const share = shares[side][at * MOST + j];
      const ofLikest = j === likest[side][at] ? dRead[3 * V + LIKEST] : 0;
      dCosines[side === 0 ? at * MOST + j : j * MOST + at] += SHARPNESS * share * (dShares[j] - mean) + ofLikest;
    }
  }
}

/** The product of a matrix, by rows, and a vector that begins at a place: four rows at once, as one sum waits for itself. */
function times(matrix, columns, vector, from, into) {
  for (let row = 0, i = 0; i < matrix.length; row += 4, i += 3 * columns) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let at = from; at < from + columns; at++, i++) {
      const x = vector[at];
      a += matrix[i] * x;
      b += matrix[i + columns] * x;
      c += matrix[i + 2 * columns] * x;
      d += matrix[i + 3 * columns] * x;
    }
    into[row] = a;
    into[row + 1] = b;
    into[row + 2] = c;
    into[row + 3] = d;
  }
}

function dot(a, b) {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at] * b[at];
  return sum;
}

/** What a test compares: the units of every fortieth line of what it learned from. */
function sampleOf(vocabulary, sources, names) {
  const lines = sources.split("\n").filter((_, at) => at % SAMPLED === 0);
  const isKnown = (word) => vocabulary.has(word);
  return lines
    .map((line) =>
      unitsOf(line, isKnown, names)
        .map(({ key, parts }) => [key, ...parts].join(" "))
        .join("\t"),
    )
    .join("\n");
}

/** @param sources what it learned from, as text */
export function write(
  file,
  { vocabulary, vectors, layers: [units, pairs, last] },
  sources,
  { directions = [], names } = {},
) {
  const keys = [...vocabulary.keys()];
  const scales = keys.map(
    (_, number) =>
      vectors.subarray(V * number, V * (number + 1)).reduce((most, x) => Math.max(most, Math.abs(x)), 1e-9) / 127,
  );
  const bytes = Int8Array.from(vectors, (x, at) => Math.round(x / scales[Math.floor(at / V)]));
  const columns = (from, to) =>
    Array.from({ length: U }, (_, row) => [...units.subarray(row * X + from, row * X + to)]).flat();
  const layers = [
    columns(0, V),
    columns(V, 2 * V),
    columns(2 * V, 3 * V),
    columns(3 * V, X),
    [...pairs],
    [...last],
    ...directions.map((direction) => [...direction]),
  ];
  const compressed = brotliCompressSync(
    Buffer.concat([
      Buffer.from(`${keys.join("\n")}\n\n`),
      Buffer.from(Array.from(vocabulary.values(), (rarity) => Math.round(255 * rarity))),
      Buffer.from(Float32Array.from(scales).buffer),
      Buffer.from(bytes.buffer),
      Buffer.from(Float32Array.from(layers.flat()).buffer),
      ...[sources, sampleOf(vocabulary, sources, names)].map((text) => createHash("sha256").update(text).digest()),
    ]),
  );
  writeFileSync(file, compressed);
  console.log(`${keys.length} vectors; compressed ${compressed.length} bytes`);
}

/** The chance that one of a list is above one of another. */
export function areaOf(above, below) {
  const all = [...above.map((value) => [value, 1]), ...below.map((value) => [value, 0])].sort(([a], [b]) => a - b);
  let [sum, seen] = [0, 0];
  for (const [, isAbove] of all) {
    if (isAbove) sum += seen;
    else seen += 1;
  }
  return sum / (above.length * below.length);
}
