import { ASSETS, assetsInQuestion, namesOfAsset } from "./assets.ts";
import { longestMatches } from "./longest-matches.ts";
import { fold } from "./tokenize.ts";
import { readRows } from "../runtime/text/data-rows.ts";

/** All names of one place or kind of thing. */
type Names = readonly string[];

const KNOWN_ASSETS = new Set(ASSETS.map(({ symbol }) => symbol));
const MOST_WORDS = 4;
let opened: ReturnType<typeof readNames> | undefined; // The same for the whole process.

function readNames() {
  const rows = readRows(new URL("data/named-things.txt", import.meta.url)).map(([, en = [], zh = []]) => [en, zh]);
  const [en, zh] = [0, 1].map((column) => {
    return new Map(rows.flatMap((row) => row[column]!.map((name): [string, Names] => [name, row.flat()])));
  }) as [Map<string, Names>, Map<string, Names>];
  return { en, zh, longest: Math.max(...Array.from(zh.keys(), (name) => name.length)) };
}

/** The places, the precise kinds of things and the assets that a question names, each by all its names, folded. What
 * speaks only of others of the kind does not answer it.
 * @example
 * namedIn("How many ringgit for ADA?"); // [["malaysia", "ringgit", …, "马来西亚", …], ["ada", "cardano", …]] */
export function namedIn(question: string): Names[] {
  const { en, zh, longest } = (opened ??= readNames());
  const text = fold(question);
  const words = text.match(/[a-z\d]+/g) ?? [];
  const found = new Set<Names>();
  for (const at of words.keys()) {
    for (let count = 1; count <= MOST_WORDS; count++) {
      const names = en.get(words.slice(at, at + count).join(" "));
      if (names !== undefined) found.add(names);
    }
  }
  for (const { word } of longestMatches(text, zh, longest)) found.add(zh.get(word)!);
  const assets = Array.from(assetsInQuestion(question)).filter((symbol) => KNOWN_ASSETS.has(symbol));
  return [...found, ...assets.map(namesOfAsset)];
}

/** A check whether a text has one of some names: Latin ones as whole words. */
export function namesIn(text: string): (names: Names) => boolean {
  const folded = fold(text);
  const words = ` ${folded.replace(/[^a-z\d]+/g, " ")} `;
  return (names) => names.some((name) => (/[a-z\d]/.test(name) ? words.includes(` ${name} `) : folded.includes(name)));
}
