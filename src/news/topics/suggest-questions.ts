import { readRows } from "../../runtime/text/data-rows.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { NOT_TICKERS } from "../../language/assets.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import {
  type Evidence,
  evidenceOf,
  isTitleCase,
  NO_NAME,
  type Reported,
  type Subject,
  subjectsOf,
} from "./topic-subject.ts";
import { askedBy, readTitle } from "./title-questions.ts";

/** Questions a topic gets; items, the most central ones, that are read for its event and subject. */
const COUNT = { least: 2, most: 3, read: 16 };
const NAME =
  /(?<![\p{Script=Latin}\d$])\p{Lu}[\p{Script=Latin}\d]*(?:\.\p{Ll}*)?(?:[ -]\p{Lu}[\p{Script=Latin}\d]*)*(?![\p{Script=Latin}])/gu;
const GENERAL_QUESTION = { zh: "{X}怎么了？", en: "What happened with {X}?" };
const FIT = 0.3; // Least fit of the kind of event to a topic.

/** What a question needs to be answerable: one of the concepts of each group, somewhere in the topic's items. */
interface QuestionTemplate {
  /** Concepts of the headline lexicon that make the event; the first group decides how well the template fits the topic. */
  readonly about: readonly (readonly string[])[];
  /** What the answer is made of: concepts, `amount` or `percent`; nothing in particular when empty. */
  readonly needs: readonly string[];
  readonly subject: Subject["kind"] | ""; // What the subject must be; anything when empty.
  readonly en: string; // `{X}` is the subject.
  readonly zh: string;
}

/** Questions by kind of event, the more particular events first, the more specific questions first. */
const TEMPLATES: readonly QuestionTemplate[] = readRows(
  new URL("data/question-templates.txt", import.meta.url),
).flatMap(([event = [], context = [], [subject = ""] = [], ...questions]) => {
  const about = context.length === 0 ? [event] : [event, context];
  return Array.from({ length: questions.length / 3 }, (_, at): QuestionTemplate => {
    const [[en = ""] = [], [zh = ""] = [], needs = []] = questions.slice(3 * at);
    return { about, needs, subject: subject as Subject["kind"] | "", en, zh };
  });
});

/** Two or three questions about a topic that its items answer. The kind of event is read from the concepts that its
 * titles share; a question needs items that carry what its answer is made of (amount, cause, next step). Otherwise it
 * is about the subject, or the headline. @param title the topic's in that language @param members its items, the most
 * central first */
export const suggestQuestions = (title: string, members: readonly Reported[], lang: Language): string[] =>
  suggested(JSON.stringify({ title, items: members.slice(0, COUNT.read), lang } satisfies Asked, READ));

type Asked = Readonly<{ title: string; items: readonly Reported[]; lang: Language }>;
const READ = ["title", "items", "lang", "summary", "symbols"]; // Of all this.
/** 4 million characters are kept: most topics are shown again after the next refresh, and many alike in both languages. */
const suggested = memoized(questionsOf, 4_000_000, (input) => input.length);

function questionsOf(input: string): string[] {
  const { title, items, lang } = JSON.parse(input) as Asked;
  const evidence = evidenceOf(items);
  const subjects = subjectsOf(items, evidence, lang);
  const subjectOf = (template: QuestionTemplate): Subject | undefined =>
    subjects.find(({ kind }) => template.subject === "" || kind === template.subject);
  const askable = TEMPLATES.filter(
    (template) =>
      hasAnswer(template, evidence) && (subjectOf(template) !== undefined || !template[lang].includes("{X}")),
  );
  const fits = askable.map((template) => fitOf(template, evidence, items.length));
  const event = askable[fits.findIndex((fit) => fit >= FIT)]?.about;
  const titles = [title, ...items.flatMap((item) => (item.lang === lang ? item.title : []))];
  const context = items
    .map((item) => (isTitleCase(item.title) ? item.summary : `${item.title} ${item.summary}`))
    .join("\n");
  const questions = [
    ...titles.flatMap((each) => readTitle(each, lang, context).question ?? []),
    ...askable.flatMap((each) => (each.about === event ? fill(each[lang], subjectOf(each), lang) : [])),
  ];
  const kept = questions.filter(
    (question, at) => questions.findIndex((one) => askedBy(one) === askedBy(question)) === at,
  );
  return kept.length < COUNT.least ? [...kept, ...spareOf(title, subjects, lang, context)] : kept.slice(0, COUNT.most);
}

/** Share of the items that report the event in their titles, and half as much in their summaries; 0 without its context. */
function fitOf({ about: [event = [], ...context] }: QuestionTemplate, evidence: Evidence, size: number): number {
  if (!context.every((group) => group.some((concept) => evidence.concepts.has(concept)))) return 0;
  const most = (counts: ReadonlyMap<string, number>): number =>
    Math.max(...event.map((concept) => counts.get(concept) ?? 0));
  return (most(evidence.titleConcepts) + most(evidence.concepts)) / 2 / size;
}

function hasAnswer({ needs }: QuestionTemplate, evidence: Evidence): boolean {
  const { hasAmount, hasCause, hasPercent, concepts } = evidence;
  const has = (need: string): boolean =>
    need === "amount" ? hasAmount : need === "cause" ? hasCause : need === "percent" ? hasPercent : concepts.has(need);
  return needs.length === 0 || needs.some(has);
}

/** Puts the subject in; in Chinese a Latin name is set off by spaces. */
function fill(template: string, subject: Subject | undefined, lang: Language): string {
  if (subject === undefined) return template;
  if (lang === "en") return template.replace("{X}", subject.en);
  return template
    .replace("{X}", ` ${subject.zh} `)
    .replace(/^ | $/g, "")
    .replace(/(?<=\p{Script=Han}) (?=\p{Script=Han})/gu, "")
    .replace(/(?<=[，。？]) | (?=[，。？])/gu, "")
    .replace(/ {2,}/g, " ");
}

/** What happened, in general, with whom or what the title is about; none where it has no name. */
function spareOf(title: string, subjects: readonly Subject[], lang: Language, context: string): string[] {
  const names = title.match(NAME) ?? [];
  const isMain = (each: Subject): boolean =>
    lang === "en" || each.kind === "name" || (each.kind === "asset" && title.startsWith(each.zh));
  const main = subjects.filter(isMain);
  const placeOf = (each: Subject): number => title.indexOf(each[lang]) + (each.kind === "name" ? 0 : title.length);
  const [first] = main.filter((each) => title.includes(each[lang])).sort((a, b) => placeOf(a) - placeOf(b));
  const whole = first && names.find((name) => ` ${name.replace(/[.-]/g, " ")} `.includes(` ${first[lang]} `));
  const isOther = (name: string): boolean =>
    title.indexOf(name) > 0 &&
    !/^\p{Lu}\d|^Ex-/u.test(name) &&
    !NOT_TICKERS.has(name) &&
    !NO_NAME.has(name.toLowerCase());
  const other = lang === "en" ? names.find(isOther) : undefined;
  const { subject } = readTitle(title, lang, context);
  const name = subject ?? whole ?? first?.[lang] ?? other ?? main[0]?.[lang];
  const template = GENERAL_QUESTION[lang].replace("with", first?.kind === "place" && !subject ? "in" : "with");
  return name === undefined ? [] : [fill(template, { kind: "name", en: name, zh: name }, lang)];
}
