import { readCompressed } from "../../runtime/compressed-file.ts";

/** CC-CEDICT (CC BY-SA 4.0), a Chinese–English dictionary of about 120,000 words, as `scripts/make-dictionary.js` describes it. */
const FILE = new URL("cc-cedict.tsv.br", import.meta.url);
/** A translation and how well it fits, 0 to 1: 1 for a word that is the whole first gloss. */
export type Translation = readonly [word: string, weight: number];

const LONGEST = 6; // Longest dictionary word that segmentation tries, in characters.
const COST = { word: 1, character: 1.5, unknown: 2 };
const NEWLINE = 10;

let tables: ReturnType<typeof readTables> | undefined;

const chinese = (word: string): readonly string[] | undefined => (tables ??= readTables()).chinese(word);
/** Readings of a Chinese word in pinyin, without tones and spaces: `chongzhi` for 充值. */
export const readingsOf = (word: string): string[] => chinese(word)?.[1]?.split(",") ?? [];
/** English translations of a Chinese word, as stems. */
export const toEnglish = (word: string): Translation[] => translationsOf(chinese(word)?.[2]);

/** Chinese translations of an English stem, best first. */
export const toChinese = (englishStem: string): Translation[] =>
  translationsOf((tables ??= readTables()).english(englishStem)?.[1]);

function readTables() {
  const bytes = readCompressed(FILE);
  const middle = bytes.indexOf("\n\n");
  return { chinese: tableOf(bytes.subarray(0, middle + 1)), english: tableOf(bytes.subarray(middle + 2)) };
}

/** A binary search over lines that are sorted by the bytes of their first field. */
function tableOf(bytes: Buffer): (word: string) => readonly string[] | undefined {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; at = bytes.indexOf(NEWLINE, at) + 1) starts.push(at);
  return (word) => {
    const key = Buffer.from(`${word}\t`);
    let low = 0;
    let high = starts.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const start = starts[middle]!;
      let at = 0; // The key includes the tab, which sorts before all characters of words.
      while (at < key.length && key[at] === bytes[start + at]) at++;
      const order = at === key.length ? 0 : key[at]! - bytes[start + at]!;
      if (order === 0) return bytes.toString("utf8", start, bytes.indexOf(NEWLINE, start)).split("\t");
      if (order < 0) high = middle - 1;
      else low = middle + 1;
    }
    return undefined;
  };
}

function translationsOf(items: string | undefined): Translation[] {
  if (items === undefined || items === "") return [];
  return items.split(",").map((item) => {
    const colon = item.lastIndexOf(":");
    return [item.slice(0, colon), Number(item.slice(colon + 1)) / 100];
  });
}

/** Splits a run of Chinese characters into dictionary words at the lowest total cost, by dynamic programming. */
export function segment(run: string): string[] {
  const characters = Array.from(run);
  const best: ({ readonly cost: number; readonly from: number } | undefined)[] = [{ cost: 0, from: 0 }];
  for (let from = 0; from < characters.length; from++) {
    let word = "";
    for (let length = 1; length <= LONGEST && from + length <= characters.length; length++) {
      word += characters[from + length - 1]!;
      const known = chinese(word) !== undefined;
      if (length > 1 && !known) continue;
      const cost = best[from]!.cost + (length > 1 ? COST.word : known ? COST.character : COST.unknown);
      if (cost < (best[from + length]?.cost ?? Infinity)) best[from + length] = { cost, from };
    }
  }
  const words: string[] = [];
  for (let end = characters.length; end > 0; end = best[end]!.from)
    words.unshift(characters.slice(best[end]!.from, end).join(""));
  return words;
}

/** Readings that input methods and dialects confuse: zh and z, ch and c, sh and s, ng and n. */
const similarReading = (reading: string): string => reading.replace(/^([zcs])h/, "$1").replace(/ng$/, "n");
const MOST_READINGS = 2;

/** An index of characters by pronunciation, used to correct misspelt Chinese words. */
export function createHomophones() {
  const known = new Set<string>();
  const bySound = new Map<string, string[]>();

  function soundsOf(character: string): string[] {
    const sounds = readingsOf(character).filter((reading) => /^[a-z]+$/.test(reading));
    return [...new Set(sounds.map(similarReading))].slice(0, MOST_READINGS);
  }

  return {
    add(character: string): void {
      if (known.has(character)) return;
      known.add(character);
      for (const sound of soundsOf(character)) bySound.set(sound, [...(bySound.get(sound) ?? []), character]);
    },
    /** Two-character words, made of candidates, that sound like `pair`. */
    pairsLike(pair: string): string[] {
      const [firsts, seconds] = Array.from(pair, (character) => {
        return Array.from(new Set(soundsOf(character).flatMap((sound) => bySound.get(sound) ?? [])));
      });
      return firsts!.flatMap((a) => seconds!.map((b) => a + b)).filter((other) => other !== pair);
    },
  };
}
