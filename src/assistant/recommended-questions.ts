import { z } from "zod";
import { ConfigError, readNamedFile } from "../config/config-errors.ts";
import type { OperationData } from "../contract/endpoints.ts";
import { printField, validate } from "../contract/validation/validate-value.ts";
import { detectLanguage, languageOfTag, nearestLanguage } from "../language/detect-language.ts";
import { parseOrError } from "../runtime/json/parse-json.ts";

const listedQuestion = z.strictObject({
  scene: z.string(),
  order_index: z.int(),
  zh: z.string(),
  en: z.string(),
  article: z.string().optional(), // Id of the help article or notice that answers it.
});
const questionFile = z.strictObject({ questions: z.array(listedQuestion) });

type RecommendedQuestions = OperationData<"getRecommendedQuestions">;
export type ListedQuestions = z.infer<typeof questionFile>["questions"];

/** @throws ConfigError when the file cannot be read, or with the fields that are not valid */
export async function readQuestions(file: string): Promise<ListedQuestions> {
  const value = parseOrError(await readNamedFile("assistant.questions", file));
  if (value instanceof Error) throw new ConfigError([`assistant.questions: ${file} is not JSON: ${value.message}`]);
  const checked = validate(questionFile, value);
  if (checked.valid) return checked.data.questions;
  const faults = checked.errors.map((error) => `assistant.questions: ${file}: ${printField(error, "the JSON")}`);
  throw new ConfigError(faults.slice(0, 10));
}

/** The questions of a scene in their order; those of `home` for an unknown scene. `lang` is a BCP 47 tag. The scene and the
 * language of the result are the requested ones, or their replacements. */
export function recommend(list: ListedQuestions, asked: { scene: string; lang: string; limit: number }) {
  const { scene, lang, limit } = asked;
  const known = list.some((question) => question.scene === scene) ? scene : "home";
  const nearest = nearestLanguage(lang);
  const inOrder = list.filter((one) => one.scene === known).sort((a, b) => a.order_index - b.order_index);
  const questions = inOrder.slice(0, limit).map(({ [nearest]: content, order_index }) => ({ content, order_index }));
  return { scene: known, lang: languageOfTag(lang) === undefined ? nearest : lang, questions };
}

/** Appends other questions in the same language, without duplicates, up to `limit`. */
export async function fillUp(recommended: RecommendedQuestions, others: readonly string[], limit: number) {
  const { questions, lang } = recommended;
  if (others.length === 0) return recommended;
  const { fold } = await import("../language/tokenize.ts");
  const own = others.filter((question) => detectLanguage(question) === nearestLanguage(lang));
  const seen = new Set(questions.map(({ content }) => fold(content)));
  const isNew = (question: string): boolean => seen.size < seen.add(fold(question)).size;
  const last = questions.at(-1)?.order_index ?? 0;
  const more = own.filter(isNew).map((content, at) => ({ content, order_index: last + at + 1 }));
  return { ...recommended, questions: [...questions, ...more.slice(0, limit - questions.length)] };
}
