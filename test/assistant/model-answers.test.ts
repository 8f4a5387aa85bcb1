import { afterEach, describe, expect, it } from "vitest";
import { assistantInProcess } from "../../src/assistant/jobs/assistant-runner.ts";
import { createHostedAssistant } from "../../src/assistant/hosted-assistant.ts";
import type { Answer } from "../../src/assistant/answer.ts";
import { modelConfig } from "../../src/config/model-config.ts";
import { createModelGateway } from "../../src/assistant/model/provider-failover.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { EXCHANGE, NOW } from "./exchange.ts";
import { fails, says, startModelServer } from "./model-server.ts";
import type { ModelServer, Turn } from "./model-server.ts";

let server: ModelServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function ask(
  question: string,
  turns: Turn | readonly [Turn, ...Turn[]],
  options: Record<string, unknown> = {},
): Promise<Answer> {
  const [first, ...rest] = typeof turns === "function" ? [turns] : turns;
  server = await startModelServer(first, ...rest);
  const config = modelConfig.parse({ base_url: server.baseUrl, model: "test-model", max_retries: 0, ...options });
  const model = createModelGateway(config);
  const assistant = createHostedAssistant({ runner: assistantInProcess(), model, logger: silentLogger });
  await assistant.learn(EXCHANGE);
  const asked = { question, history: [], research: false, refused: [], now: NOW };
  return assistant.complete(await assistant.prepare(asked), asked);
}

describe("answers that a model words", () => {
  it("carry the passages it cites as sources, with the sentence that is used", async () => {
    const answer = await ask("What is the USDT withdrawal fee?", says("It is 1 USDT on TRC-20 [1]."));
    expect(answer).toMatchObject({
      text: "It is 1 USDT on TRC-20 [1].",
      outcome: "answered",
      model_name: "test-model",
    });
    expect(answer.sources).toMatchObject([
      { id: "withdraw-fee", lang: "en", snippet: "The USDT withdrawal fee is 1 USDT on TRC-20 and 4 USDT on ERC-20." },
    ]);
  });

  it("show the model only passages of the question's language", async () => {
    await ask("USDT 提现手续费是多少？", says("1 USDT [1]"));
    const prompt = server!.requests[0]!.body.messages.at(-1)!.content;
    expect(prompt).toContain("提现手续费按币种和网络收取固定数量");
    expect(prompt).not.toContain("What withdrawals cost");
  });

  it("become an honest reply when the model says that nothing answers", async () => {
    const answer = await ask("What is the USDT withdrawal fee?", says("NO_ANSWER"));
    expect(answer).toMatchObject({ outcome: "declined", sources: [], model_name: "test-model" });
    expect(answer.text).toMatch(/^Sorry/);
  });

  it.each([
    [
      "a passage that may answer",
      "is a deposit reviewed",
      "A withdrawal worth more than 50,000 USDT is reviewed by a person [3].",
    ],
    ["a title near the question", "how much can I send", "Lumex charges no deposit fee [3]."],
  ])("are shown as not sure, for nothing, where the evidence is only %s", async (_evidence, question, said) => {
    const answer = await ask(question, says(said));
    expect(answer).toMatchObject({ outcome: "unsure", model_name: "test-model", sources: [{ kind: "help" }] });
    expect(answer.text).toBe(
      `I am not sure that this answers your question, but it may help:\n${said.replace("[3]", "[1]")}`,
    );
  });

  it("are asked for once more when they may not be shown, with what was wrong", async () => {
    const right = "It is 1 USDT on TRC-20 [1].";
    const answer = await ask("What is the USDT withdrawal fee?", [says("It is 77 USDT [1]."), says(right)]);
    expect(answer).toMatchObject({ text: right, outcome: "answered" });
    const [, second] = server!.requests;
    expect(second!.body.messages.slice(-2)).toMatchObject([
      { role: "assistant", content: "It is 77 USDT [1]." },
      {
        role: "user",
        content: expect.stringContaining("a number, amount, date or time does not stand in the cited") as unknown,
      },
    ]);
  });

  it.each(["The fee is 2 USDT, as everybody knows.", "The fee is 2 USDT [44]."])(
    "fail with 1007 after %j, twice",
    async (said) => {
      const answer = ask("What is the USDT withdrawal fee?", says(said));
      await expect(answer).rejects.toMatchObject({
        code: 1007,
        cause: { message: expect.not.stringContaining("2 USDT") as unknown },
      });
      expect(server!.requests).toHaveLength(2);
    },
  );

  it("are extracted when they are refused and extraction is the fallback", async () => {
    const answer = await ask("What is the USDT withdrawal fee?", says("It is 77 USDT [1]."), {
      fallback: "extractive",
    });
    expect(answer).toMatchObject({ outcome: "answered", model_name: "local-extractive" });
  });

  it("summarise the newest items when the question asks for the news", async () => {
    const answer = await ask("What is the latest crypto news?", says("Bitcoin is above $105,000 [1]."));
    expect(answer.sources).toMatchObject([{ id: "w1", kind: "news" }]);
  });

  it("fail with 1007 when the model fails", async () => {
    await expect(ask("What is the USDT withdrawal fee?", fails(500))).rejects.toMatchObject({ code: 1007 });
  });

  it("are extracted when the model fails and extraction is the fallback", async () => {
    const answer = await ask("What is the USDT withdrawal fee?", fails(500), { fallback: "extractive" });
    expect(answer).toMatchObject({ outcome: "answered", model_name: "local-extractive" });
    expect(answer.sources[0]?.id).toBe("withdraw-fee");
  });

  it("are not asked of the model for small talk and advice", async () => {
    expect((await ask("hello", fails(500))).outcome).toBe("answered");
    expect(server!.requests).toHaveLength(0);
    expect((await ask("should I buy bitcoin?", fails(500))).outcome).toBe("declined");
    expect(server!.requests).toHaveLength(0);
  });
});
