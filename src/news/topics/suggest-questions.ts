import type { Language } from "../../contract/schemas/shared-fields.ts";
import { headlineTermsOf } from "../../language/terms.ts";
import { fold } from "../../language/tokenize.ts";
import { assetOfWord, assetsInNews, namesOfAsset, NOT_TICKERS } from "../../language/assets.ts";
import { toSimplified } from "../../language/traditional.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import type { NewsItem } from "../snapshot/projection.ts";
import { isNoName, isStopWord, isTitleCase } from "./title-words.ts";
import { askedBy, IS, isPeople, kindsOf, readTitle, withArticle } from "./title-questions.ts";
import COUNT from "./question-counts.json" with { type: "json" };

const NAME =
  /(?<![\p{Script=Latin}\d$])\p{Lu}[\p{Script=Latin}\d]*(?:\u00a0[\d.]+)?(?:\.\p{Ll}*)?(?:[ -](?:(?<=(?:Bank|Court|University|Ministry|Department|House|Bureau|Board|Institute) )of )?\p{Lu}[\p{Script=Latin}\d]*)*(?![\p{Script=Latin}])/gu;
const JOINED = "\u00a0"; // Between a name and the number that is part of it, as in "Fortune 500".
const PLACES = /^(?:country|region-bloc)$|(?:city|state|province)$/;
const PLAIN = {
  zh: ["{X}怎么了？", "{X}有什么最新消息？"],
  en: ["What happened with {X}?", "What do we know about {X}?"],
};

/** Questions about a topic that its items answer, best first: up to three that its titles answer by themselves, then
 * general ones about its subject; Chinese ones in Simplified characters. @param title the topic's title in that language
 * @param members the topic's items, most central first */
export const suggestQuestions = (title: string, members: readonly Reported[], lang: Language): string[] =>
  suggested(JSON.stringify({ title, items: members.slice(0, COUNT.read), lang } satisfies Asked, READ));

type Reported = Pick<NewsItem, "title" | "summary" | "lang">; // The fields of an item that questions are made from.
type Asked = Readonly<{ title: string; items: readonly Reported[]; lang: Language }>;
const READ = ["title", "items", "lang", "summary"]; // The fields to serialize.
/** Cache of 4 million characters: most topics are shown again after the next refresh, and many alike in both languages. */
const suggested = memoized(questionsOf, 4_000_000, (input) => input.length);

function questionsOf(input: string): string[] {
  const { title, items, lang } = JSON.parse(input) as Asked;
  const isOwn = (one: Reported) => one.lang === lang && one.title !== title && isAbout(one.title, title, lang);
  const titles = [{ title }, ...items.filter(isOwn)].map((one) => toSimplified(one.title).replace(IS.numbered, JOINED));
  const context = items.map((one) => (isTitleCase(one.title) ? one.summary : `${one.title} ${one.summary}`)).join("\n");
  const read = titles.map((each) => readTitle(each, lang, context));
  const questions = read.flatMap(({ question }) => question ?? []);
  const kept = questions.filter((one, at) => questions.findIndex((other) => askedBy(other) === askedBy(one)) === at);
  const [happened = "", known = ""] = PLAIN[lang];
  const named = titles.map((each) => nameIn(each, lang, context)).find(Boolean);
  const { subject = named, plain = happened } = read[0]!;
  const [, behind = "it"] = title.split(` in ${subject}`);
  const spares =
    isPlace(subject) || IS.placed.test(behind) ? [plain.replace(" with ", " in ")] : [plain, happened, known];
  const spare = subject === undefined ? [] : Array.from(new Set(spares), (one) => fill(one, withArticle(subject)));
  const asked = [...kept.slice(0, COUNT.most), ...spare.slice(0, COUNT.spare)];
  return asked.map((one) => one.replaceAll(JOINED, " ").replace(IS.article, "$1 the $2"));
}

const termsOf = memoized((title: string) => headlineTermsOf(title, assetsInNews(title)), 2000);
/** Whether an item says what the topic's title says, since another may have slipped into the topic: they share two fifths of
 * the shorter one's terms, or two that are the same in all wordings, or the title names the item's subject. */
function isAbout(item: string, title: string, lang: Language): boolean {
  const [terms, others] = [title, item].map(termsOf);
  const shared = Array.from(terms!).filter(([term]) => others!.has(term));
  const isSame = shared.filter(([, kind]) => kind === "concept" || kind === "asset" || kind === "number").length > 1;
  if (isSame || shared.length >= 0.4 * Math.min(terms!.size, others!.size)) return true;
  const { subject } = readTitle(toSimplified(item), lang, `${item}\n${title}`);
  return subject !== undefined && fold(title).includes(fold(subject.replace(/^the /, "")));
}

/** Inserts the name; in Chinese, a space follows a Latin name. */
const fill = (template: string, name: string): string =>
  template.replace("{X}", name).replace(/(?<=[\p{Script=Latin}\d])(?=(?:怎么了|有什么最新消息|[做说]了什么)？$)/u, " ");

const isPlace = (name = ""): boolean => !isPeople(name) && kindsOf(name).some((kind) => PLACES.test(kind));

/** The name of a title's subject, else its asset, else its place; undefined if it has none. A single word at the start of
 * the title is a name only if the context has it or it is a known name of the news. */
function nameIn(title: string, lang: Language, context: string): string | undefined {
  const isTitleCased = isTitleCase(title);
  const names = Array.from(title.matchAll(NAME), ({ 0: phrase, index }) => {
    const words = phrase.split(" ");
    const isOwn =
      (words[0] === "The" && words.length > 1 && index > 0 && !isTitleCased) ||
      kindsOf(phrase.replace(/^The (?=.* )/, "")).length > 0;
    const name = isOwn ? phrase : words.slice(words.findIndex((word) => !isStopWord(word))).join(" ");
    const isSure = index > 0 || name.includes(" ") || /^['’]s /.test(title.slice(phrase.length));
    const isKnown = context.includes(` ${name}`) || kindsOf(name).length > 0;
    return lang === "zh" || (isSure && !isTitleCased) || isKnown ? name : "";
  });
  const isNone = (name: string): boolean =>
    /^$|^\p{Lu}(?:[\d.\u00a0]|$)|^Ex-/u.test(name) || NOT_TICKERS.has(name) || isNoName(name) || isPeople(name);
  const isOther = (name: string): boolean => !isNone(name) && !assetOfWord(name.toLowerCase()) && !isPlace(name);
  return names.find(isOther) ?? assetIn(title, lang) ?? names.find(isPlace);
}

/** An asset of a title, by the name used there. In Chinese the title must start with it; in English the unit of an amount
 * does not count. */
function assetIn(title: string, lang: Language): string | undefined {
  const unit = IS.amount.exec(title)?.[1]?.toLowerCase();
  const words = ` ${title.toLowerCase().replace(/[^\p{L}\d]+/gu, " ")} `;
  const isCalled = (name: string): boolean => name !== unit && words.includes(` ${name.toLowerCase()} `);
  const names = assetsInNews(title).flatMap((symbol) => [symbol, ...namesOfAsset(symbol).slice(1)]);
  const called = names.find((name) => (lang === "zh" ? title.startsWith(name) : isCalled(name)));
  return called?.replace(/(?<!\p{L})\p{Ll}/gu, (letter) => letter.toUpperCase());
}
