import type { HostedAssistant } from "../assistant/hosted-assistant.ts";
import type { ListedQuestions } from "../assistant/recommended-questions.ts";
import type { OperationData } from "../contract/endpoints.ts";
import type { Language } from "../contract/schemas/shared-fields.ts";
import { detectLanguage, hasHan } from "../language/detect-language.ts";
import type { News } from "../news/news.ts";
import COUNT from "../news/topics/question-counts.json" with { type: "json" };
import type { Clock } from "../runtime/clock.ts";
import { memoized } from "../runtime/cache/memoized.ts";
import { staleWhileRevalidate } from "../runtime/cache/stale-while-revalidate.ts";
import { fillTemplate } from "../runtime/text/fill-template.ts";
import type { Knowledge } from "./knowledge.ts";
import HEADLINE_QUESTIONS from "./headline-questions.json" with { type: "json" };

const LIMIT = 50; // Topics whose questions are checked: as many as are shown.
const MIN_QUESTIONS = 2; // Questions per topic, if as many are answered.

type TopicList = OperationData<"getNewsTopics">;
type Topic = TopicList["topics"][number];
/** Suggested questions that the assistant can answer. */
export type GroundedSuggestions = ReturnType<typeof createGroundedSuggestions>;

type Rooms = { assistant: HostedAssistant; knowledge: Knowledge; news: News };
type Deps = Rooms & { clock: Clock; questions: ListedQuestions };
type CheckDeps = Deps & { readonly suggestions: GroundedSuggestions };

/** Plain questions about the headlines of a topic in its language; cached, since each chat looks there. */
const headlineQuestions = memoized(({ title, lang, items }: Topic): readonly string[] => {
  const titles = new Set([title, ...items.flatMap((item) => (item.lang === lang ? item.title : []))].map(quotable));
  const templates = HEADLINE_QUESTIONS[lang === "zh" ? lang : "en"];
  return templates.flatMap((one) => Array.from(titles, (each) => fillTemplate(one, { title: each })));
}, 2 * LIMIT);

/** Keeps only suggested questions that the assistant answers from the topic's own items, so that no user pays for
 * another answer or none. A topic with fewer than two left gets answered questions about its or another headline.
 * The local extraction decides, whichever model writes answers, once per topic of a content. */
export function createGroundedSuggestions({ assistant, knowledge, clock, news, questions: recommended }: Deps) {
  const articleOf = articlesOf(recommended);
  let answered = new Map<string, Promise<readonly string[]>>(); // By all inputs of the answers, for one content.
  let known = 0;

  /** Makes a list per limit: at index n, the first n topics. */
  async function ground({ topics: all, total }: TopicList, content: number): Promise<readonly TopicList[]> {
    if (content !== known) answered = new Map();
    known = content;
    const topics: Topic[] = [];
    for (const topic of all)
      topics.push(Object.freeze({ ...topic, question_suggestions: [...(await questionsOf(topic))] }));
    return [...topics.keys(), topics.length].map((end) => Object.freeze({ topics: topics.slice(0, end), total }));
  }

  function questionsOf(topic: Topic): Promise<readonly string[]> {
    const ids = topic.items.map(({ id }) => id);
    const key = JSON.stringify([topic.lang, topic.title, topic.question_suggestions, ids]);
    const questions = answered.get(key) ?? ask(topic, ids);
    answered.set(key, questions);
    questions.catch(() => answered.delete(key));
    return questions;
  }

  async function ask(topic: Topic, ids: string[]): Promise<string[]> {
    const answeredOf = (questions: readonly string[], most: number) =>
      assistant.answered({ questions, ids, about: ids, most, now: clock.now() });
    const { question_suggestions: questions } = topic;
    const found = await answeredOf(questions, Math.max(MIN_QUESTIONS, questions.length - COUNT.spare));
    return found.length >= MIN_QUESTIONS
      ? found
      : [...found, ...(await answeredOf(headlineQuestions(topic), MIN_QUESTIONS - found.length))];
  }

  const make = async (list: TopicList) => ground(list, await knowledge.newest());
  const lists = { zh: staleWhileRevalidate(make), en: staleWhileRevalidate(make) };
  const shown = new Set<Language>();
  return {
    /** Refreshes the lists in the languages shown before, so that the next readers get the newest topics at once. */
    async renew(): Promise<void> {
      const renewed = Array.from(shown, async (lang) => lists[lang](await news.topics({ limit: LIMIT, lang }), true));
      await Promise.allSettled(renewed); // After a failure, the next reader retries, and gets the error.
    },
    /** A list with the questions that are answered. */
    of: async (list: TopicList): Promise<TopicList> => (await ground(list, await knowledge.ready())).at(-1)!,
    /** The ids of what answers a recommended or suggested question, in either Chinese script: of the operator's article,
     * or of the items of its topic. Undefined for other questions. */
    async itemsOf(question: string): Promise<readonly string[] | undefined> {
      const { topics } = await news.topics({ limit: LIMIT, lang: detectLanguage(question) });
      const found = articleOf.get(question) ?? itemsOf(topics, (shown) => shown === question);
      if (found !== undefined || !hasHan(question)) return found;
      const { toSimplified } = await import("../language/traditional.ts");
      const simplified = toSimplified(question);
      if (simplified === question) return undefined;
      // Both are folded: 著 is written in either script.
      return articleOf.get(simplified) ?? itemsOf(topics, (shown) => toSimplified(shown) === simplified);
    },
    /** @param source all topics in a language; the same object while nothing changes
     * @returns the first `limit` of them, with the questions that are answered */
    async first(source: TopicList, lang: Language, limit: number): Promise<TopicList> {
      shown.add(lang);
      const found = await lists[lang](source);
      return found[limit] ?? found.at(-1)!;
    },
  };
}

/** The ids of the items of the topic that suggests a question. */
const itemsOf = (topics: readonly Topic[], isAsked: (shown: string) => boolean): string[] | undefined =>
  topics
    .find((topic) => [...topic.question_suggestions, ...headlineQuestions(topic)].some(isAsked))
    ?.items.map(({ id }) => id);

/** The id of the article that the operator named for a recommended question, as a list. */
const articlesOf = (questions: ListedQuestions) =>
  new Map(
    questions.flatMap(({ zh, en, article }) => [zh, en].map((one) => [one, article ? [article] : undefined] as const)),
  );

/** Asks each question of `assistant.questions` in both languages, as anybody's first question, without a model. Nothing
 * is charged or recorded. `outcome` is `figures` where the caller's account or the market answers; `source` is the title
 * of the first source, null for none. */
export async function checkRecommended({ questions, assistant, knowledge, suggestions, clock }: CheckDeps) {
  await knowledge.newest();
  const rows = [];
  for (const { scene, ...texts } of questions) {
    for (const lang of ["zh", "en"] as const) {
      const question = texts[lang];
      const about = await suggestions.itemsOf(question);
      const asked = { question, history: [], research: false, refused: [], now: clock.now(), ...(about && { about }) };
      const { answer, routing } = await assistant.prepare(asked);
      const source = answer?.sources[0]?.title ?? null;
      rows.push({ scene, lang, question, outcome: answer?.outcome ?? "figures", route: routing.route, source });
    }
  }
  return rows;
}

/** A headline as a question quotes it: without marks at its end, the quotation marks within it single. */
export function quotable(headline: string): string {
  const marks: Readonly<Record<string, string>> = { "“": "‘", "”": "’", '"': "'" };
  return headline.replace(/(?<![。.!！?？])[。.!！?？]+(?=[”"]?$)/u, "").replace(/[“”"]/g, (mark) => marks[mark]!);
}
