import type { createGroundedSuggestions, GroundedSuggestions } from "./grounded-suggestions.ts";

type Deps = Parameters<typeof createGroundedSuggestions>[0] & { readonly suggestions: GroundedSuggestions };

/** Asks each question of `assistant.questions` in both languages, as anybody's first question, without a model. Nothing
 * is charged or recorded. `outcome` is `figures` where the caller's account or the market answers; `source` is the title
 * of the first source, null for none. */
export async function checkRecommended({ questions, assistant, knowledge, suggestions, clock }: Deps) {
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
