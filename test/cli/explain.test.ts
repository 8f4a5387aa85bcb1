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

const ask = (...args: string[]) => {
  const env = { ANP_MODEL_BASE_URL: server.baseUrl, ANP_MODEL_MODEL: "m", ANP_MODEL_MAX_RETRIES: "0" };
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
    decision: { outcome: "answered", features: { foreign: 0 } },
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
