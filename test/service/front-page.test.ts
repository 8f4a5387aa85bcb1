import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { openFixtureService } from "../support/service.ts";

it("looks for the recommended questions again when they could not be read", async () => {
  const folder = await temporaryFolder();
  const file = join(folder.path, "questions.json");
  const { service } = await openFixtureService({ flags: { "assistant.questions": file }, refresh: false });
  const ask = () => service.run("getRecommendedQuestions", { request_id: "r" }, { query: {} });
  await expect(ask()).rejects.toThrow("ENOENT");
  await writeFile(file, JSON.stringify({ questions: [{ scene: "home", order_index: 1, zh: "问？", en: "Why?" }] }));
  expect((await ask()).data.questions).toEqual([{ content: "问？", order_index: 1 }]);
  await folder.remove();
});
