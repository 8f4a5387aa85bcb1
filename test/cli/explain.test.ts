import { afterAll, beforeAll, expect, it } from "vitest";
import { fails, says, startModelServer, type ModelServer } from "../assistant/model-server.ts";
import { temporaryFolder } from "../support/folder.ts";
import { anp, REPEATABLE } from "./anp.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ModelServer;

beforeAll(async () => {
  folder = await temporaryFolder();
  const good = says("提现手续费按币种和网络收取固定数量 [1]。", "stop", [700, 30]);
  server = await startModelServer(says("提现手续费是 77 BTC [1]。", "stop", [600, 20]), good, fails(500));
});

afterAll(async () => {
  await server.close();
  await folder.remove();
});

const ask = (...args: string[]) => askOn(server, {}, ...args);
const askOn = ({ baseUrl }: ModelServer, more: Record<string, string>, ...args: string[]) => {
  const env = { ANP_MODEL_BASE_URL: baseUrl, ANP_MODEL_MODEL: "m", ANP_MODEL_MAX_RETRIES: "0", ...more };
  return anp(["ask", "提现手续费是多少？", ...args], { cwd: folder.path, env });
};

it("explains an answer to operators: its route, evidence, prompts, tokens and checks; and a failure", async () => {
  const on = ["--user", "alice", "--demo", ...REPEATABLE, "--explain"];
  const { code, stdout } = await ask(...on, "--json");
  expect(code).toBe(0);
  const { explanation, ...answer } = JSON.parse(stdout) as { explanation: { calls: object[] } };
  expect(answer).toMatchObject({ route: "help", model_name: "m", points_cost: 0 });
  expect(explanation).toMatchObject({
    router: { route: "help", lang: "zh" },
    route: { route: "help", kind: "other", by: "evidence" },
    decision: { outcome: "answered", features: { notice: 0 } },
    calls: [
      { model: "m", tokens: { prompt: 600, reply: 20 }, findings: [{ fault: expect.any(String) as string }] },
      { tokens: { prompt: 700, reply: 30 }, reply: "提现手续费按币种和网络收取固定数量 [1]。", findings: [] },
    ],
  });
  const { evidence } = explanation as unknown as { evidence: { score: number; window: object }[] };
  expect(evidence[0]).toMatchObject({ kind: "help", lang: "zh", window: { text: expect.any(String) as string } });
  expect(JSON.stringify(explanation.calls[1])).toContain("Passages:");

  const failed = await ask(...on);
  expect(failed.code).toBe(6);
  expect(failed.stdout).toMatch(/failure: "?Error: model call: AI_APICallError \(status 500\)[^]*cost: 0/);
  expect((await ask(...on, "--format", "csv")).code).toBe(2);
  const remote = await ask("--url", "http://127.0.0.1:9", "--token", "t", "--explain");
  expect([remote.code, remote.stderr]).toEqual([2, expect.stringContaining("on the storage")]);
  const operator = await ask("--url", "http://127.0.0.1:9", "--token", `anpop_${"0".repeat(43)}`, "--explain");
  expect(operator.code).toBe(2);
});

it("shows the verdicts on a reply, and the calculations", async () => {
  const reply = "提现手续费按币种和网络收取固定数量 [1]。";
  const [one] = [{ number: 1, difference: "", verdict: "supported", calculations: ["3 * 1"] }];
  const verifying = await startModelServer(says(reply), says(JSON.stringify({ statements: [one] })));
  const on = ["--user", "carol", "--demo", ...REPEATABLE, "--explain"];
  const { code, stdout } = await askOn(verifying, { ANP_MODEL_VERIFY_FORMAT: "json_object" }, ...on);
  await verifying.close();
  expect([code, verifying.requests.length]).toEqual([0, 2]);
  expect(stdout).toMatch(
    /verdicts:\n +- number: 1\n +difference: ""\n +verdict: supported\n +calculations:\n +- 3 \* 1\n/,
  );
  expect(verifying.requests[1]!.body).toMatchObject({ response_format: { type: "json_object" } });
});

const explained = async (question: string) => {
  const args = ["ask", question, "--user", "carol", "--demo", ...REPEATABLE, "--explain", "--json"];
  const { stdout } = await anp(args, { cwd: folder.path });
  return (JSON.parse(stdout) as { explanation: object }).explanation;
};

it("shows each part of an answer to several questions in one", async () => {
  const explanation = await explained("How do I create sub-accounts and API keys?");
  expect(explanation).toMatchObject({
    question: "How do I create sub-accounts and API keys?",
    route: { route: "help", by: "parts" },
    parts: [
      {
        question: "How do I create sub-accounts?",
        route: { by: "evidence" },
        decision: { outcome: expect.stringMatching(/answered|unsure/) as string },
        evidence: [{ id: "help-sub-accounts" }, {}, {}, {}],
      },
      { question: "How do I create API keys?", evidence: [{ id: "help-api-keys" }, {}, {}, {}] },
    ],
  });
  expect(explanation).not.toHaveProperty("evidence");
});

it("shows what an answer lists", async () => {
  expect(await explained("Which coins were newly listed?")).toMatchObject({
    route: { by: "latest" },
    listed: [{ id: "notice-018", kind: "notice", lang: "en", title: "Lumex lists Orchard Finance (ORCH)" }],
    evidence: [{}, {}, {}, {}],
  });
  expect(await explained("How do I create API keys?")).not.toHaveProperty("listed");
});
