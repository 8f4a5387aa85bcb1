import type { HostedAssistant } from "../assistant/hosted-assistant.ts";
import type { ListedQuestions } from "../assistant/recommended-questions.ts";
import type { Clock } from "../runtime/clock.ts";
import type { GroundedSuggestions } from "./grounded-suggestions.ts";
import type { Knowledge } from "./knowledge.ts";

type Deps = {
  readonly questions: ListedQuestions;
  readonly assistant: HostedAssistant;
  readonly knowledge: Knowledge;
  readonly suggestions: GroundedSuggestions;
  readonly clock: Clock;
};

/** Asks each question of `assistant.questions` in both languages, as anybody's first question, without a model. Nothing
 * is charged or recorded. `outcome` is `figures` where the caller's account or the market answers; `source` is the title
 * of the first source, null for none. */
export async function* checkRecommended({ questions, assistant, knowledge, suggestions, clock }: Deps) {
  await knowledge.newest();
  for (const { scene, ...texts } of questions) {
    for (const lang of ["zh", "en"] as const) {
      const question = texts[lang];
      const about = await suggestions.itemsOf(question);
      const asked = { question, history: [], research: false, refused: [], now: clock.now(), ...(about && { about }) };
      const { answer, routing } = await assistant.prepare(asked);
      const source = answer?.sources[0]?.title ?? null;
      yield { scene, lang, question, outcome: answer?.outcome ?? "figures", route: routing.route, source };
    }
  }
}
