import { afterEach, expect, it } from "vitest";
import { createHostedAssistant, type HostedAssistant } from "../../src/assistant/hosted-assistant.ts";
import { assistantInProcess } from "../../src/assistant/jobs/assistant-runner.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { sharedAssistants } from "../support/shared-runners.ts";
import { EXCHANGE, NOW } from "./exchange.ts";
import { passage } from "./passages.ts";

const QUESTION = "What is the USDT withdrawal fee?";
const NEWER = passage({ id: "new", text: "The USDT withdrawal fee is 7 USDT." });

const open: HostedAssistant[] = [];
afterEach(() => Promise.all(open.splice(0).map((assistant) => assistant.close())));

function hosted(runner: ReturnType<typeof assistantInProcess>): HostedAssistant {
  const assistant = createHostedAssistant({ runner, logger: silentLogger });
  open.push(assistant);
  return assistant;
}

const prepared = (assistant: HostedAssistant) =>
  assistant.prepare({ question: QUESTION, history: [], research: false, refused: [], now: NOW });

const answered = (assistant: HostedAssistant, id: string) =>
  assistant.answered({ questions: [QUESTION, "Who?"], ids: [id], most: 2, now: NOW });

it("answers for each service from its own content, as with an index of its own", async () => {
  const shared = sharedAssistants();
  const [one, two, alone] = [hosted(shared()), hosted(shared()), hosted(assistantInProcess())];
  for (const assistant of [one, two, alone]) {
    await assistant.learn(EXCHANGE);
    expect(await answered(assistant, "withdraw-fee")).toEqual([QUESTION]);
    expect(await prepared(assistant)).toEqual(await prepared(one));
  }
  await Promise.all([one, alone].map((assistant) => assistant.learn([NEWER])));
  for (const assistant of [one, alone]) {
    expect(await answered(assistant, "withdraw-fee")).toEqual([]);
    expect(await answered(assistant, "new")).toEqual([QUESTION]);
  }
  expect(await prepared(one)).toEqual(await prepared(alone));
  expect(await answered(two, "withdraw-fee")).toEqual([QUESTION]);
  expect((await prepared(two)).answer?.sources[0]?.id).toBe("withdraw-fee");
  const other = hosted(shared());
  await other.learn([NEWER]);
  expect(await answered(other, "new")).toEqual([QUESTION]);
});
