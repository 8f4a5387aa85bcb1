import { unitsOf } from "../text/terms.ts";

/** A sparse vector: feature ids, ascending by first appearance, and their weights. */
export interface Vector {
  readonly ids: Int32Array;
  readonly weights: Float64Array;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a over the UTF-16 units of `text` from `start` to `end`, seeded by the kind of feature. */
function hash(seed: number, text: string, start: number, end: number): number {
  let value = (FNV_OFFSET ^ seed) >>> 0;
  for (let at = start; at < end; at++) value = Math.imul(value ^ text.charCodeAt(at), FNV_PRIME);
  return value >>> 0;
}

const WORD = 1;
const WORD_PAIR = 2;
const CHARACTERS = 3;
const CHARACTER_SIZES = [2, 3, 4, 5] as const;
const HAN_SIZES = [1, 2, 3] as const;

/** Hashed features of one text: words and word pairs, and the character n-grams that make typos cheap. */
export interface RawFeatures {
  readonly words: readonly number[];
  readonly characters: readonly number[];
}

/** Features of a text. Chinese runs give n-grams of 1 to 3 characters as words; other scripts also n-grams inside words. */
export function featuresOf(text: string): RawFeatures {
  const words: number[] = [];
  const characters: number[] = [];
  let previous = "^";
  for (const unit of unitsOf(text)) {
    if (unit.han) {
      for (const size of HAN_SIZES) {
        for (let at = 0; at + size <= unit.text.length; at++) {
          (size === 1 ? characters : words).push(hash(WORD, unit.text, at, at + size));
        }
      }
      previous = unit.text.slice(-1);
      continue;
    }
    const pair = `${previous} ${unit.text}`;
    words.push(hash(WORD, unit.text, 0, unit.text.length), hash(WORD_PAIR, pair, 0, pair.length));
    previous = unit.text;
    const padded = ` ${unit.text} `;
    for (const size of CHARACTER_SIZES) {
      for (let at = 0; at + size <= padded.length; at++) characters.push(hash(CHARACTERS, padded, at, at + size));
    }
  }
  return { words, characters };
}

/** Turns texts into vectors: sublinear TF × IDF, each block of features scaled to length 1 (Salton & Buckley 1988). */
export interface Vectorizer {
  readonly size: number;
  vector(features: RawFeatures): Vector;
}

const CHARACTER_WEIGHT = 0.8;

/** Learns the vocabulary and IDF of the texts. Features of fewer than `minDocuments` texts are left out. */
export function fitVectorizer(texts: readonly RawFeatures[], minDocuments: number): Vectorizer {
  const documents = new Map<number, number>();
  for (const { words, characters } of texts) {
    for (const block of [words, characters]) {
      for (const key of new Set(block)) documents.set(key, (documents.get(key) ?? 0) + 1);
    }
  }
  const ids = new Map<number, number>();
  const idf: number[] = [];
  for (const [key, count] of documents) {
    if (count < minDocuments) continue;
    ids.set(key, idf.length);
    idf.push(Math.log((1 + texts.length) / (1 + count)) + 1);
  }
  return {
    size: idf.length,
    vector({ words, characters }) {
      const found: number[] = [];
      const weights: number[] = [];
      for (const block of [words, characters]) {
        const counts = new Map<number, number>();
        for (const key of block) {
          const id = ids.get(key);
          if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
        }
        const scale = block === words ? 1 : CHARACTER_WEIGHT;
        const from = weights.length;
        let square = 0;
        for (const [id, count] of counts) {
          const weight = (1 + Math.log(count)) * idf[id]!;
          found.push(id);
          weights.push(weight);
          square += weight * weight;
        }
        for (let at = from; at < weights.length; at++) weights[at] = (weights[at]! * scale) / Math.sqrt(square);
      }
      return { ids: Int32Array.from(found), weights: Float64Array.from(weights) };
    },
  };
}
