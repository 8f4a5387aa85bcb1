import { readRows } from "../../runtime/text/data-rows.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { fillTemplate } from "../../runtime/text/fill-template.ts";
import { quotable } from "../../runtime/text/quotable.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import GENERAL_QUESTIONS from "./general-questions.json" with { type: "json" };
import { type Evidence, evidenceOf, type Reported, type Subject, subjectsOf } from "./topic-subject.ts";

/** Questions a topic gets; items, the most central ones, that are read for its event and subject. */
const COUNT = { least: 2, most: 3, read: 16 };
/** Least fit of a kind of event to be chosen at once, and to be chosen at all. */
const FIT = { sure: 0.6, possible: 0.25 };

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
  const event = eventOf(askable, evidence, items.length);
  const questions = new Set(
    askable
      .filter(({ about }) => about === event)
      .slice(0, COUNT.most)
      .map((template) => fill(template[lang], subjectOf(template), lang)),
  );
  for (const question of general(title, subjects[0], lang)) if (questions.size < COUNT.least) questions.add(question);
  return Array.from(questions);
}

/** The kind of event that the items report: the first sure one, else the one that fits best. */
function eventOf(
  templates: readonly QuestionTemplate[],
  evidence: Evidence,
  size: number,
): QuestionTemplate["about"] | undefined {
  let best: { about: QuestionTemplate["about"]; fit: number } | undefined;
  for (const { about } of templates) {
    const fit = fitOf(about, evidence, size);
    if (fit >= FIT.sure) return about;
    if (fit > (best?.fit ?? FIT.possible)) best = { about, fit };
  }
  return best?.about;
}

/** Share of the items that report the event in their titles, and half as much in their summaries; 0 without its context. */
function fitOf(about: QuestionTemplate["about"], evidence: Evidence, size: number): number {
  const [event = [], ...context] = about;
  if (!context.every((group) => group.some((concept) => evidence.concepts.has(concept)))) return 0;
  const most = (counts: ReadonlyMap<string, number>): number =>
    Math.max(...event.map((concept) => counts.get(concept) ?? 0));
  return (most(evidence.titleConcepts) + most(evidence.concepts)) / 2 / size;
}

function hasAnswer({ needs }: QuestionTemplate, evidence: Evidence): boolean {
  const { hasAmount, hasPercent, concepts } = evidence;
  const has = (need: string): boolean =>
    need === "amount" ? hasAmount : need === "percent" ? hasPercent : concepts.has(need);
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

function general(title: string, subject: Subject | undefined, lang: Language): string[] {
  const headline = quotable(title);
  const about = GENERAL_QUESTIONS.headline[lang].map((template) => fillTemplate(template, { headline }));
  if (subject?.kind !== "name") return about;
  return [fill(GENERAL_QUESTIONS.name[lang], subject, lang), about[0]!];
}
