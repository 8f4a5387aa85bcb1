import { ASSETS, assetsInQuestion, namesOfAsset } from "./assets.ts";
import { NameTable } from "./name-table.ts";
import { fold } from "./tokenize.ts";
import { readRows } from "../runtime/text/data-rows.ts";

/** All names of one place or kind of thing. */
type Names = readonly string[];

const KNOWN_ASSETS = new Set(ASSETS.map(({ symbol }) => symbol));
let table: NameTable<Names> | undefined; // The same for the whole process.

function readNames(): NameTable<Names> {
  const names = new NameTable<Names>();
  for (const [, ...columns] of readRows(new URL("data/named-things.txt", import.meta.url))) {
    const all = columns.flat();
    names.add(all, all);
  }
  return names;
}

/** The places, the precise kinds of things and the assets that a question names, each by all its names, folded. What
 * speaks only of others of the kind does not answer it.
 * @example
 * namedIn("How many ringgit for ADA?"); // [["malaysia", "ringgit", …, "马来西亚", …], ["ada", "cardano", …]] */
export function namedIn(question: string): Names[] {
  const found = new Set<Names>();
  for (const { thing } of (table ??= readNames()).find(fold(question))) found.add(thing);
  const assets = Array.from(assetsInQuestion(question)).filter((symbol) => KNOWN_ASSETS.has(symbol));
  return [...found, ...assets.map(namesOfAsset)];
}

/** A check whether a text has one of some names: Latin ones as whole words. */
export function namesIn(text: string): (names: Names) => boolean {
  const folded = fold(text);
  const words = ` ${folded.replace(/[^a-z\d]+/g, " ")} `;
  return (names) => names.some((name) => (/[a-z\d]/.test(name) ? words.includes(` ${name} `) : folded.includes(name)));
}
