import { memoized } from "../../runtime/cache/memoized.ts";
import { readRows } from "../../runtime/text/data-rows.ts";
import { assetsInNews } from "../../language/assets.ts";
import { hasHan } from "../../language/detect-language.ts";
import { NameTable } from "../../language/name-table.ts";
import { headlineTermsOf } from "../../language/terms.ts";

const DEEDS = new NameTable<{ readonly deed: string; readonly isReversed: boolean }>();
for (const [[deed = "", reversed] = [], ...phrases] of readRows(new URL("data/deeds.txt", import.meta.url)))
  DEEDS.add(phrases.flat(), { deed, isReversed: reversed !== undefined });

// English: `sued by`, `fined over`, `purchase of`. Chinese: markers before the actor, and before the other party.
const PARTICIPLE = /(?:[ei]d|en|ght|it|ld|ot|un|ut)$/;
const NO_OBJECT = /^\s*(?:$|[,;:–—-]|(?:after|amid|as|at|by|for|from|in|of|on|over|to|with)\b)/;
const NOUN = / (?:against|for|in|of|on)$/;
const BY = /\bby\b/;
const [BEFORE_ACTOR, BEFORE_OTHER] = ["被遭由获受", "对向给"];

/** The deeds named in a folded title, each with the text about its actor and the text about the other party. */
export function deedsOf(folded: string): ReadonlyMap<string, Parts> {
  const deeds = new Map<string, Parts>();
  for (const { thing, start, end } of DEEDS.find(folded)) {
    const [actor, other] = partsOf(folded.slice(0, start), folded.slice(start, end), folded.slice(end));
    deeds.set(thing.deed, thing.isReversed ? [other, actor] : [actor, other]);
  }
  return deeds;
}

type Parts = readonly [actor: string, other: string];

function partsOf(before: string, phrase: string, after: string): Parts {
  const [to = "", ...by] = after.split(BY);
  if (hasHan(phrase)) {
    const [actorAt, otherAt] = [lastOf(before, BEFORE_ACTOR), lastOf(before, BEFORE_OTHER)];
    if (actorAt >= 0) return [before.slice(actorAt + 1), `${before.slice(0, actorAt)} ${after}`];
    return otherAt < 0 ? [before, after] : [before.slice(0, otherAt), `${before.slice(otherAt + 1)} ${after}`];
  }
  if (PARTICIPLE.test(phrase) && NO_OBJECT.test(after)) return [by.join(" "), `${before} ${to}`];
  return NOUN.test(phrase) && by.length > 0 ? [by.join(" "), to] : [before, after];
}

/** The index of the last of some characters in a text; -1 if it has none. */
const lastOf = (text: string, characters: string): number =>
  Math.max(...Array.from(characters, (character) => text.lastIndexOf(character)));

/** Whether two titles name one deed with actor and other party swapped: "A sues B" and "A sued by B". */
export function areSwapped(a: ReadonlyMap<string, Parts>, b: ReadonlyMap<string, Parts>): boolean {
  for (const [name, [actor, other]] of a) {
    const [actorOfB, otherOfB] = b.get(name) ?? ["", ""];
    if (meet(actor, otherOfB) && meet(other, actorOfB) && !meet(actor, actorOfB)) return true;
  }
  return false;
}

const meet = (a: string, b: string): boolean => b !== "" && namesOf(a).some((term) => namesOf(b).includes(term));

/** The words and names of a part of a title. */
const namesOf = memoized((part: string): readonly string[] => {
  return Array.from(headlineTermsOf(part, assetsInNews(part)).keys()).filter((term) => !/^(?:#|@[^:]*$)/.test(term));
}, 10_000);
