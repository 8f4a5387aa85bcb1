const VOWEL_AT = (word: string, at: number): boolean => {
  const letter = word[at]!;
  if ("aeiou".includes(letter)) return true;
  return letter === "y" && at > 0 && !VOWEL_AT(word, at - 1);
};

/** Porter's m: the number of vowel-consonant sequences. */
function measure(stem: string): number {
  let count = 0;
  for (let at = 1; at < stem.length; at++) if (VOWEL_AT(stem, at - 1) && !VOWEL_AT(stem, at)) count++;
  return count;
}

function hasVowel(stem: string): boolean {
  for (let at = 0; at < stem.length; at++) if (VOWEL_AT(stem, at)) return true;
  return false;
}

function endsDoubled(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word[last] === word[last - 1] && !VOWEL_AT(word, last);
}

function endsShort(word: string): boolean {
  const last = word.length - 1;
  return (
    last > 1 &&
    !VOWEL_AT(word, last) &&
    VOWEL_AT(word, last - 1) &&
    !VOWEL_AT(word, last - 2) &&
    !"wxy".includes(word[last]!)
  );
}

type Rule = readonly [suffix: string, replacement: string];

const STEP_2: readonly Rule[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["abli", "able"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
];
const STEP_3: readonly Rule[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];
const STEP_4: readonly Rule[] = (
  "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split(" ") as readonly string[]
).map((suffix): Rule => [suffix, ""]);

/** Replaces the longest matching suffix when the stem before it has a measure above `least`. */
function replace(word: string, rules: readonly Rule[], least: number): string {
  let match: Rule | undefined;
  for (const rule of rules) {
    if (word.endsWith(rule[0]) && rule[0].length > (match?.[0].length ?? 0)) match = rule;
  }
  if (match === undefined) return word;
  const stem = word.slice(0, word.length - match[0].length);
  if (measure(stem) <= least) return word;
  if (match[0] === "ion" && !/[st]$/.test(stem)) return word;
  return stem + match[1];
}

function dropPlural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  if (word.endsWith("ss") || word.endsWith("us")) return word;
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

function dropTense(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
  const stem = word.slice(0, word.length - suffix);
  if (suffix === 0 || !hasVowel(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsDoubled(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

/**
 * The stem of a lower-case English word: Porter, "An algorithm for suffix stripping", Program 14(3), 1980, and words
 * on -us keep their s ("status", "bonus"). Words with digits and short words are kept.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let out = dropTense(dropPlural(word));
  if (out.endsWith("y") && hasVowel(out.slice(0, -1))) out = `${out.slice(0, -1)}i`;
  out = replace(out, STEP_2, 0);
  out = replace(out, STEP_3, 0);
  out = replace(out, STEP_4, 1);
  if (out.endsWith("e")) {
    const before = out.slice(0, -1);
    const m = measure(before);
    if (m > 1 || (m === 1 && !endsShort(before))) out = before;
  }
  return out.endsWith("ll") && measure(out.slice(0, -1)) > 1 ? out.slice(0, -1) : out;
}
