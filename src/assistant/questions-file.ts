import { readFile } from "node:fs/promises";
import { z } from "zod";

const questionFile = z.strictObject({
  questions: z.array(z.strictObject({ scene: z.string(), order_index: z.int(), zh: z.string(), en: z.string() })),
});

/** Recommended questions of a file. */
export type ListedQuestions = z.infer<typeof questionFile>["questions"];

/**
 * Reads a file of recommended questions.
 *
 * @throws when the file does not exist or is not valid
 */
export async function readQuestions(file: string): Promise<ListedQuestions> {
  return questionFile.parse(JSON.parse(await readFile(file, "utf8"))).questions;
}
