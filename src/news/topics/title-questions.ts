import { readFileSync } from "node:fs";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { NOT_TICKERS } from "../../language/assets.ts";
import { newsNames } from "../../language/name-table.ts";
import { fold } from "../../language/tokenize.ts";
import { chineseTokens } from "../../language/word-classes.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import { isCommon, isTitleCase } from "./title-words.ts";
import PATTERNS from "./title-patterns.json" with { type: "json" };

const LINES = readFileSync(new URL("data/title-questions.txt", import.meta.url), "utf8").split("\n");
const rowsOf = (kind: string): string[][] =>
  LINES.flatMap((line) => (line.startsWith(`${kind} => `) ? [line.split(" => ").slice(1)] : []));
const PARTS = new Map<string, string>();
const filled = (text: string): string => text.replace(/\{([a-z]+)\}/g, (_, name: string) => PARTS.get(name)!);
for (const [name = "", text = ""] of rowsOf("part")) PARTS.set(name, filled(text));
const compiled = (pattern: string): RegExp =>
  new RegExp(filled(pattern.replace("{do}", PARTS.get("do")!.replaceAll(", ", "|"))), "u");

/** Patterns of titles: text to remove before parsing, words that are no subject or no part of one, forms of subjects, the
 * unit of an amount ("$240 million in bitcoin") or share ("half of Fortune 500 firms"), and the text after a name or place. */
export const IS = patternsOf(PATTERNS);
const asking = ([pattern = "", question = ""]: string[]) => ({ pattern: compiled(pattern), question });
const [ZH, PLAIN] = ["zh", "plain"].map((kind) => rowsOf(kind).map(asking));
const EN = rowsOf("en").map(([list = "", after = "", question = ""]) => {
  const verbs = filled(list).split(", ");
  const forms = new Map(verbs.map((verb) => [question.includes(" was ") ? verb : thirdPerson(verb), verb]));
  return { forms, bases: new Set(verbs), after: compiled(after), question };
});
const FORMS = new Set(EN.flatMap(({ forms }) => [...forms.keys()]));
const VERBS = new Set([...FORMS, ...EN.flatMap(({ bases }) => [...bases])]);
const MOST = 160; // Maximum characters of a title that are parsed.
const LONGEST = 20; // Maximum characters of a Chinese subject.

/** Parses a title to its subject, to a question that it answers (what somebody did, how much, when, or why), and in Chinese
 * to a general question about the subject. A title that is a question is used as the question.
 * @param context other text about the story; a word that is capitalised there is a name */
export function readTitle(title: string, lang: Language, context: string): ReadTitle {
  const text = title.slice(0, MOST).replace(IS.label, "").replace(IS.share, "").replace(IS.aside, " ").trim();
  const isAsked = /[?？]$/.test(text);
  if (lang === "en" && isAsked) return { question: text };
  if (lang === "en")
    return english(text.replace(IS.twoNames, "$1 and $2 ").replace(IS.saidBehind, "$2$3 $1$4"), context);
  const read = chinese(text.replace(/(?<!\d),|,(?!\d)|(?<=[%\p{Script=Han}]) (?=\p{Script=Han})/gu, "，"));
  return isAsked ? { ...read, question: text.replace(/\?$/, "？") } : read;
}

type ReadTitle = Readonly<Partial<Record<"subject" | "question" | "plain", string | undefined>>>;

/** The interrogative of a question, such as "how much". A second question with the same one adds little. */
export const askedBy = (question: string): string => IS.asks.exec(question.toLowerCase())?.[0] ?? question;

/** Parses a Chinese title. The question has its clauses up to one in which an interrogative replaces the answer. */
function chinese(title: string): ReadTitle {
  const isKnown = (name: string | undefined): boolean => name === undefined || kindsOf(name).length > 0;
  const [asked, plain] = [ZH!, PLAIN!].map((rows) => {
    const found = rows.map(({ pattern, question }) => ({ match: pattern.exec(title), question }));
    return found.find(({ match }) => match !== null && isKnown(match.groups?.["name"]));
  });
  const question = asked && expand(asked.question, asked.match!).replace(/[约近逾](?=多少)| (?=？)/g, "");
  const whole = plain?.match![1]!.trim() ?? "";
  const verb = Array.from(whole.matchAll(IS_NAMED)).findLast(([, run, name]) => !isBefore(name!, run!));
  const subject = verb === undefined ? whole : whole.slice(verb.index + verb[1]!.length).trim();
  const isSure =
    subject.length > 1 && subject.length <= LONGEST && !isInWord(title, title.indexOf(whole) + whole.length);
  return { question, ...(isSure && { subject, plain: verb === undefined ? plain!.question : undefined }) };
}

/** Whether a word or a name of a title continues behind a place in it, as 科创板 does behind 科. */
const isInWord = (title: string, place: number): boolean =>
  chineseTokens(title.slice(place - 1))[0]!.text.length > 1 ||
  Array.from(newsNames().find(fold(title))).some(({ start, end }) => start < place && place < end);

/** Chinese text and the Latin name directly behind it, and whether the text describes the name ("公司", "谷歌旗下", "苹果"):
 * else a verb may be between. */
const IS_NAMED = /(?<!\p{Script=Han})(\p{Script=Han}{1,20}) ?(\p{Script=Latin}[\p{Script=Latin}\d]*)/gu;
const isBefore = (name: string, run: string): boolean =>
  IS.beforeName.test(`${run}>${name}`) ||
  NOT_TICKERS.has(name) ||
  Array.from(newsNames().find(fold(run))).some(({ end }) => end === run.length);

/** Whether a name is of the people of a place, such as "French". */
export const isPeople = (name: string): boolean => IS.people.test(name) && /country|region/.test(kindsOf(name).join());

/** The kinds of the known names of the news that are equal to a text. */
export function kindsOf(text: string): string[] {
  const name = fold(text);
  const found = Array.from(newsNames().find(name));
  return found.flatMap(({ thing, start, end }) => (start === 0 && end === name.length ? thing.kind : []));
}

/** Parses an English title by its first verb with a name before it, and the text after the verb. */
function english(title: string, context: string): ReadTitle {
  const words = title.split(" ");
  const isTitle = isTitleCase(title);
  const read = isTitle ? words.map((word) => word.toLowerCase()) : words;
  const bare = read.map((word) => word.replace(/[,;:]$/, ""));
  let phrase: string | undefined;
  for (let at = 1; at < words.length; at++) {
    const verbs = [3, 2, 1].map((count) => bare.slice(at, at + count).join(" "));
    if ((IS.noun.test(bare[at]!) && VERBS.has(bare[at + 1]!)) || !verbs.some((verb) => VERBS.has(verb))) continue;
    const isAhead = /^(?:to|will|may|could)$/.test(read[at - 1]!);
    const before = words.slice(0, isAhead ? at - 1 : at);
    const subject = subjectOf(before, context);
    if (!isTitle && (isAhead || /[^s]s$/.test(words[at - 1]!) || verbs.some((verb) => FORMS.has(verb))))
      phrase ??= phraseOf(before, context) ?? "";
    if (subject === undefined || (isAhead && at - subject.split(" ").length > 3)) continue;
    const did = isAhead ? read[at - 1]!.replace("to", "will") : "did";
    const isPlural = IS.plural.test(subject) || subject.includes(" and ");
    const [does, was] = isPlural ? ["do", "were"] : ["does", "was"];
    let isVerb = false;
    for (const { forms, bases, after, question } of EN) {
      for (const verb of verbs) {
        const base = (isAhead || isPlural) && bases.has(verb) ? verb : forms.get(verb);
        if (base === undefined) continue;
        isVerb = true;
        const match = after.exec(` ${words.slice(at + verb.split(" ").length).join(" ")}`);
        if (match === null) continue;
        const asked = expand(question, match, { did, does, was, X: subject, V: base });
        return { subject, question: asked.replace(IS.article, "$1 the $2") };
      }
    }
    if (isVerb) return { subject };
  }
  const end = read.findIndex((word, at) => at > 0 && IS.follows.test(word));
  const isOdd = end < 0 || isTitle || IS.odd.test(read[0]!.toLowerCase());
  return { subject: phrase || (isOdd ? undefined : subjectOf(words.slice(0, end), context)) };
}

/** The subject without a name in the first words of a title, as a question writes it: "consumer prices", "the lawsuit". */
function phraseOf(words: readonly string[], context: string): string | undefined {
  const all = IS.led.test(words.join(" ")) ? words.slice(1) : words;
  const [first = "", ...rest] = all;
  const isOdd = all.some((word) => !/^[\p{L}\d][\p{L}\d'’.&\u00a0-]*$/u.test(word) || IS.odd.test(word.toLowerCase()));
  if (first === "" || isOdd || all.length > 6 || !/^\p{L}/u.test(first)) return undefined;
  const isLower =
    isCommon(first) ||
    (IS.hyphened.test(first) && !IS.ofName.test(first)) ||
    context.includes(` ${first.toLowerCase()} `);
  const text = [isLower && !/^\p{Lu}{2}|\.\p{Lu}/u.test(first) ? first.toLowerCase() : first, ...rest].join(" ");
  const isAlone =
    rest.length === 0 &&
    (!isLower || !(IS.bare.test(text) || IS.currency.test(text)) || /(?:[eo]rs|ists|ce)$/.test(text));
  const isBare = IS.bare.test(text) && !/^\p{Ll}+['’]s /u.test(text); // "The world's largest miner", but "China's exports".
  return isAlone || IS.predicate.test(text) ? undefined : isBare ? text : `the ${text}`;
}

/** The name, or the noun phrase with a name ("the Zcash developers"), at the end of the words, as a question writes it.
 * Undefined if there is none, or if it starts with the first word of the title and the context does not have that name. */
function subjectOf(words: readonly string[], context: string): string | undefined {
  let end = words.length;
  while (end > 0 && /^\p{Ll}[\p{Ll}-]+$/u.test(words[end - 1]!)) end--;
  const isPart = (at: number): boolean =>
    isCapital(words[at]!) || (at > 0 && at < end - 1 && IS.joins.test(words[at]!) && isCapital(words[at - 1]!));
  let from = end;
  while (from > 0 && isPart(from - 1)) from--;
  const name = words.slice(from, end).join(" ");
  const kind = words.slice(end).filter((word) => !/ly$|^(?:now|also|again|soon|just|still)$/.test(word));
  const isOwn = /['’]s?(?: |$)/.test(name);
  const isUnfit = (word: string): boolean => (IS.notBefore.test(word) || /ed$/.test(word)) && !IS.plural.test(word);
  const isLong = kind.length > (isOwn ? 3 : 2) || (kind.length > 0 && from > 0);
  const isOther = isLong || kind.some(isUnfit) || /ing$/.test(kind.at(-1) ?? "");
  const isNone = IS.noSubject.test(name) || (end === 1 && isCommon(name));
  const isOpen = kind.length === 0 && (/['’]s?$/.test(name) || isPeople(name)); // "Bybit's" alone, or "French".
  if (from === end || isNone || isOpen || IS.notBefore.test(words[from - 1] ?? "") || isOther) return undefined;
  if (kind.length === 0) return name.split(" and ").map(withArticle).join(" and ");
  const isName = end > 1 || context.includes(` ${name.replace(/['’]s?$/, "")}`);
  const own = `${name} ${kind.join(" ")}`;
  return !isName ? undefined : isOwn || (IS.bare.test(own) && !IS.plural.test(own)) ? own : `the ${own}`;
}

const isCapital = (word: string): boolean => /^\p{Lu}[^,:;]*$/u.test(word) && !IS.hyphened.test(word);
/** A name with the article that it needs: "the Bank of England". */
export const withArticle = (name: string): string =>
  name.replace(IS.withArticle, (known) => `the ${known.replace(/^The /, "")}`);

const expand = (question: string, match: RegExpExecArray, names: Readonly<Record<string, string>> = {}): string =>
  question.replace(/\$(\d)|\b(?:did|does|was|X|V)\b/g, (all, at) => (at ? match[Number(at)] : names[all]) ?? "");

function thirdPerson(verb: string): string {
  const [word = "", ...rest] = verb.split(" ");
  const stem = word.replace(/(?<=[^aeiou])y$/, "ie").replace(/(?<=[sxzo]|ch|sh)$/, "e");
  return [`${stem}s`, ...rest].join(" ");
}
