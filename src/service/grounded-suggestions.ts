import type { Assistant } from "../assistant/assistant.ts";
import type { OperationData } from "../contract/endpoints.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Knowledge } from "./knowledge.ts";

type TopicList = OperationData<"getNewsTopics">;
type Topic = TopicList["topics"][number];

/**
 * Keeps only the suggested questions that the assistant answers from the topic's own items, so that users do not pay for
 * a suggested question with another answer or none. A topic left without any gets a question about its headline, if that
 * is answered. Extraction decides, whichever model writes the answers: it is local and repeatable.
 */
export function createSuggestions(deps: {
  /** An assistant without a model. */
  assistant: Assistant;
  knowledge: Knowledge;
  clock: Clock;
}): (list: TopicList) => Promise<TopicList> {
  const { assistant, knowledge, clock } = deps;
  // The news room returns the same object as long as nothing changed.
  const known = new WeakMap<TopicList, Promise<TopicList>>();

  async function isAnswered(question: string, { items }: Topic): Promise<boolean> {
    const routing = assistant.route(question, { history: [] });
    const request = { question, routing, history: [], wide: false, now: clock.now() };
    const { grounded, sources } = await assistant.answer(request, await knowledge.index());
    const ids = new Set(items.map(({ id }) => id));
    return grounded && sources[0] !== undefined && ids.has(sources[0].id);
  }

  async function answered(topic: Topic, lang: string): Promise<Topic> {
    const kept: string[] = [];
    for (const question of topic.question_suggestions) {
      if (await isAnswered(question, topic)) kept.push(question);
    }
    for (const question of kept.length > 0 ? [] : headlineQuestions(topic.title, lang)) {
      if (await isAnswered(question, topic)) {
        kept.push(question);
        break;
      }
    }
    return { ...topic, question_suggestions: kept };
  }

  async function filter(list: TopicList): Promise<TopicList> {
    const topics: Topic[] = [];
    for (const topic of list.topics) topics.push(Object.freeze(await answered(topic, topic.lang)));
    return Object.freeze({ ...list, topics });
  }

  return (list) => {
    let filtered = known.get(list);
    if (filtered === undefined) {
      filtered = filter(list).catch((error: unknown) => {
        known.delete(list);
        throw error;
      });
      known.set(list, filtered);
    }
    return filtered;
  };
}

/** Ways to ask for a headline, the most natural first. */
function headlineQuestions(title: string, lang: string): string[] {
  return lang === "zh"
    ? [`“${title}”是怎么回事？`, `关于“${title}”有什么最新消息？`, `新闻“${title}”说了什么？`]
    : [
        `What is the news about "${title}"?`,
        `What is the latest news: ${title}?`,
        `What does the news "${title}" say?`,
      ];
}
