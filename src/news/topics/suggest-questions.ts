import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { NewsItem } from "../snapshot/projection.ts";
import { type QuestionTemplate, TEMPLATES } from "./question-templates.ts";
import { type Evidence, evidenceOf, type Subject, subjectsOf } from "./topic-subject.ts";

/** Questions a topic gets, at least and at most. */
const LEAST = 2;
const MOST = 3;
/** Items that are read for a topic's event and subject: the most central ones. */
const READ = 16;
/** Least fit of a kind of event to be chosen at once, and to be chosen at all. */
const SURE = 0.6;
const POSSIBLE = 0.25;

/**
 * Two or three questions about a topic that its items answer, in one language.
 *
 * The kind of event is read from the concepts that its titles share; a question is asked only when the items carry what
 * the answer is made of (an amount, a cause, a next step). Where no kind of event fits, the questions ask about the
 * subject, and without a subject about the headline.
 *
 * @param title the topic's headline in that language
 * @param members the topic's items, the most central first
 */
export function suggestQuestions(title: string, members: readonly NewsItem[], lang: Language): string[] {
  const items = members.slice(0, READ);
  const evidence = evidenceOf(items);
  const subjects = subjectsOf(items, evidence, lang);
  const subjectOf = (template: QuestionTemplate): Subject | undefined =>
    subjects.find(({ kind }) => template.subject === undefined || kind === template.subject);
  const askable = TEMPLATES.filter(
    (template) =>
      hasAnswer(template, evidence) && (subjectOf(template) !== undefined || !template[lang].includes("{X}")),
  );
  const event = eventOf(askable, evidence, items.length);
  const questions = new Set(
    askable
      .filter(({ about }) => about === event)
      .slice(0, MOST)
      .map((template) => fill(template[lang], subjectOf(template), lang)),
  );
  for (const question of general(title, subjects[0], lang)) if (questions.size < LEAST) questions.add(question);
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
    if (fit >= SURE) return about;
    if (fit > (best?.fit ?? POSSIBLE)) best = { about, fit };
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
  if (needs === undefined) return true;
  return needs.some((need) =>
    need === "amount" ? evidence.hasAmount : need === "percent" ? evidence.hasPercent : evidence.concepts.has(need),
  );
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
  const headline = title.replace(/[。.!！?？]+$/u, "");
  const about =
    lang === "zh"
      ? [`“${headline}”是怎么回事？`, `关于“${headline}”，目前有哪些信息？`]
      : [`What is the story behind "${headline}"?`, `What is known so far about "${headline}"?`];
  if (subject?.kind !== "name") return about;
  return lang === "zh"
    ? [fill("{X}最近发生了什么？", subject, lang), about[0]!]
    : [fill("What is the latest news on {X}?", subject, lang), about[0]!];
}
