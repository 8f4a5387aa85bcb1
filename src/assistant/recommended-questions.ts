import { nearestLanguage } from "../language/detect-language.ts";

/** A recommended question of a scene, in both languages. */
export interface RecommendedQuestion {
  readonly scene: string;
  readonly order_index: number;
  readonly zh: string;
  readonly en: string;
}

export interface RecommendOptions {
  /** `home` is served for an unknown scene. */
  readonly scene: string;
  /** BCP 47 tag. */
  readonly lang: string;
  readonly limit: number;
}

const HOME = "home";

/** The questions of a scene in their order. */
export function recommend(
  list: readonly RecommendedQuestion[],
  { scene, lang, limit }: RecommendOptions,
): { questions: { content: string; order_index: number }[] } {
  const known = list.some((question) => question.scene === scene) ? scene : HOME;
  const nearest = nearestLanguage(lang);
  const questions = list
    .filter((question) => question.scene === known)
    .sort((a, b) => a.order_index - b.order_index)
    .slice(0, limit)
    .map((question) => ({ content: question[nearest], order_index: question.order_index }));
  return { questions };
}
