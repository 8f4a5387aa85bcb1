import type { HostedAssistant } from "../assistant/hosted-assistant.ts";
import type { OperationData } from "../contract/endpoints.ts";
import type { Language } from "../contract/schemas/shared-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import { fillTemplate } from "../runtime/fill-template.ts";
import type { Knowledge } from "./knowledge.ts";
import HEADLINE_QUESTIONS from "./headline-questions.json" with { type: "json" };
import { promptly } from "./promptly.ts";

type TopicList = OperationData<"getNewsTopics">;
type Topic = TopicList["topics"][number];

/** The last list of a language. */
interface Entry {
  /** What it is made of. */
  readonly source: TopicList;
  readonly made: Promise<Shown>;
  /** What is shown until it is made. */
  shown: Shown | undefined;
}

/** A list's beginnings by length: each is frozen and stays the same object. */
interface Shown {
  readonly list: TopicList;
  readonly slices: Map<number, TopicList>;
}

/**
 * Keeps only the suggested questions that the assistant answers from the topic's own items, so that users do not pay for
 * a suggested question with another answer or none. A topic left without any gets a question about its headline, if that
 * is answered. Extraction decides, whichever model writes the answers: it is local and repeatable.
 *
 * The assistant is asked once about each topic of a content. A new list takes the place of the one before once it is made.
 */
export class GroundedSuggestions {
  readonly #deps: { assistant: HostedAssistant; knowledge: Knowledge; clock: Clock };
  readonly #entries = new Map<string, Entry>();
  /** The questions of topics by all that they depend on, for one content. */
  #questions = new Map<string, Promise<readonly string[]>>();
  #content = 0;

  constructor(deps: { assistant: HostedAssistant; knowledge: Knowledge; clock: Clock }) {
    this.#deps = deps;
  }

  /**
   * @param source all topics in a language; the same object as long as nothing changed
   * @returns the first `limit` of them, with the questions that are answered
   */
  async first(source: TopicList, lang: string, limit: number): Promise<TopicList> {
    const entry = this.#entryOf(source, lang);
    const { list, slices } = await (entry.shown === undefined ? entry.made : promptly(entry.made, entry.shown));
    let slice = slices.get(limit);
    if (slice === undefined) {
      slice = Object.freeze({ topics: list.topics.slice(0, limit), total: list.total });
      slices.set(limit, slice);
    }
    return slice;
  }

  #entryOf(source: TopicList, lang: string): Entry {
    const last = this.#entries.get(lang);
    if (last?.source === source) return last;
    const made = this.#ground(source).then((list): Shown => ({ list, slices: new Map() }));
    const entry: Entry = { source, made, shown: last?.shown };
    this.#entries.set(lang, entry);
    made.then(
      (shown) => (entry.shown = shown),
      () => {
        // Tried again with the next request.
        if (this.#entries.get(lang) === entry) this.#entries.delete(lang);
      },
    );
    return entry;
  }

  async #ground(list: TopicList): Promise<TopicList> {
    const content = await this.#deps.knowledge.ready();
    if (content !== this.#content) this.#questions = new Map();
    this.#content = content;
    const topics: Topic[] = [];
    for (const topic of list.topics) {
      topics.push(Object.freeze({ ...topic, question_suggestions: [...(await this.#questionsOf(topic))] }));
    }
    return { topics, total: list.total };
  }

  #questionsOf(topic: Topic): Promise<readonly string[]> {
    const ids = topic.items.map(({ id }) => id);
    const key = JSON.stringify([topic.lang, topic.title, topic.question_suggestions, ids]);
    let questions = this.#questions.get(key);
    if (questions === undefined) {
      questions = this.#ask(topic, ids);
      this.#questions.set(key, questions);
      questions.catch(() => this.#questions.delete(key));
    }
    return questions;
  }

  async #ask({ title, lang, question_suggestions: questions }: Topic, ids: string[]): Promise<readonly string[]> {
    const { assistant, clock } = this.#deps;
    const now = clock.now();
    const found = await assistant.answered({ questions, ids, most: questions.length, now });
    return found.length > 0
      ? found
      : assistant.answered({ questions: headlineQuestions(title, lang === "zh" ? lang : "en"), ids, most: 1, now });
  }
}

/** Ways to ask for a headline, the most natural first. */
function headlineQuestions(title: string, lang: Language): string[] {
  return HEADLINE_QUESTIONS[lang].map((template) => fillTemplate(template, { title }));
}
