import type { Language } from "../../contract/schemas/shared-fields.ts";
import { NOT_TICKERS } from "../../language/assets.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { isNoName, isStopWord, isTitleCase, type Reported, type Subject, subjectsOf } from "./topic-subject.ts";
import { askedBy, IS, readTitle } from "./title-questions.ts";
import COUNT from "./question-counts.json" with { type: "json" };

const NAME =
  /(?<![\p{Script=Latin}\d$])\p{Lu}[\p{Script=Latin}\d]*(?:\.\p{Ll}*)?(?:[ -]\p{Lu}[\p{Script=Latin}\d]*)*(?![\p{Script=Latin}])/gu;
const PLAIN = { zh: ["{X}怎么了？", "{X}是什么情况？"], en: ["What happened with {X}?", "What do we know about {X}?"] };

/** Questions about a topic that its items answer, the best first: what its titles answer by themselves, up to three, then
 * what happened with whom or what it is about. @param title the topic's in that language @param members its
 * items, the most central first */
export const suggestQuestions = (title: string, members: readonly Reported[], lang: Language): string[] =>
  suggested(JSON.stringify({ title, items: members.slice(0, COUNT.read), lang } satisfies Asked, READ));

type Asked = Readonly<{ title: string; items: readonly Reported[]; lang: Language }>;
const READ = ["title", "items", "lang", "summary", "symbols"]; // Of all this.
/** 4 million characters are kept: most topics are shown again after the next refresh, and many alike in both languages. */
const suggested = memoized(questionsOf, 4_000_000, (input) => input.length);

function questionsOf(input: string): string[] {
  const { title, items, lang } = JSON.parse(input) as Asked;
  const subjects = subjectsOf(items, lang);
  const titles = [title, ...items.flatMap((item) => (item.lang === lang ? item.title : []))];
  const contextOf = (item: Reported): string => (isTitleCase(item.title) ? "" : `${item.title} `) + item.summary;
  const context = items.map(contextOf).join("\n");
  const read = titles.map((each) => readTitle(each, lang, context));
  const questions = read.flatMap(({ question }) => question ?? []);
  const kept = questions.filter((one, at) => questions.findIndex((other) => askedBy(other) === askedBy(one)) === at);
  const [happened = "", known = ""] = PLAIN[lang];
  const { subject = nameIn(title, subjects, lang), plain = happened } = read[0]!;
  const isPlace = subjects.some(({ kind, en }) => kind === "place" && en === subject);
  const [, behind = "it"] = title.split(` in ${subject}`);
  const spares = isPlace || IS.placed.test(behind) ? [plain.replace(" with ", " in ")] : [plain, happened, known];
  const spare = subject === undefined ? [] : Array.from(new Set(spares), (one) => fill(one, subject));
  return [...kept.slice(0, COUNT.most), ...spare.slice(0, COUNT.spare)];
}

/** Puts the name in; in Chinese a Latin one is set off by a space. */
const fill = (template: string, name: string): string =>
  template.replace("{X}", name).replace(/(?<=[\p{Script=Latin}\d])(?=(?:怎么了|是什么情况|[做说]了什么)？$)/u, " ");

/** A name of whom or what the title is about; undefined where it has none. */
function nameIn(title: string, subjects: readonly Subject[], lang: Language): string | undefined {
  const names = Array.from(title.matchAll(NAME), ([name]) => {
    const words = name.split(" ");
    const isOwn = words[0] === "The" && words.length > 1 && !title.startsWith(name) && !isTitleCase(title);
    return isOwn ? name : words.slice(words.findIndex((word) => !isStopWord(word))).join(" ");
  });
  const unit = IS.amount.exec(title)?.[1]?.toLowerCase();
  const isMain = (each: Subject): boolean =>
    lang === "en"
      ? each.en.toLowerCase() !== unit && (each.kind !== "place" || title.includes(each.en))
      : each.kind === "name" || (each.kind === "asset" && title.startsWith(each.zh));
  const main = subjects.filter(isMain);
  const placeOf = (each: Subject): number => title.indexOf(each[lang]) + (each.kind === "name" ? 0 : title.length);
  const [first] = main.filter((each) => title.includes(each[lang])).sort((a, b) => placeOf(a) - placeOf(b));
  const whole = first && names.find((name) => ` ${name.replace(/[.-]/g, " ")} `.includes(` ${first[lang]} `));
  const isOther = (name: string): boolean =>
    (title.indexOf(name) > 0 || /^['’]s /.test(title.slice(name.length))) &&
    !/^\p{Lu}(?:\d|\.|$)|^Ex-/u.test(name) &&
    !NOT_TICKERS.has(name) &&
    !isNoName(name);
  const other = lang === "en" ? names.find(isOther) : undefined;
  return whole ?? first?.[lang] ?? other ?? main[0]?.[lang];
}
