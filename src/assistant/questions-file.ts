import { readFile } from "node:fs/promises";
import { z } from "zod";

const questionFile = z.strictObject({
  questions: z.array(z.strictObject({ scene: z.string(), order_index: z.int(), zh: z.string(), en: z.string() })),
});

/** Recommended questions as their file lists them. */
export type ListedQuestions = z.infer<typeof questionFile>["questions"];

/** Reads a file of recommended questions. It throws when there is none, or it is not as it should be. */
export async function readQuestions(file: string): Promise<ListedQuestions> {
  return questionFile.parse(JSON.parse(await readFile(file, "utf8"))).questions;
}
