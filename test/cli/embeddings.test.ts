import { afterAll, beforeAll, expect, it } from "vitest";
import { startEmbeddingsServer, type EmbeddingsServer } from "../assistant/embeddings-server.ts";
import { temporaryFolder } from "../support/folder.ts";
import { SMALL_WORLD } from "../support/program.ts";
import { until } from "../support/until.ts";
import { anp, serveHere } from "./anp.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: EmbeddingsServer;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  [folder, server] = await Promise.all([temporaryFolder(), startEmbeddingsServer()]);
  const key = { ANP_EMBEDDINGS_API_KEY: "canary-key" };
  env = { ...key, ANP_EMBEDDINGS_BASE_URL: server.baseUrl, ANP_EMBEDDINGS_MODEL: "test-embedding" };
});
afterAll(async () => {
  await server.close();
  await folder.remove();
});

async function doctor() {
  const { stdout } = await anp(["doctor", "--json", "--storage", "memory:"], { cwd: folder.path, env });
  const findings = JSON.parse(stdout) as {
    readonly subject: string;
    readonly level: string;
    readonly message: string;
  }[];
  return { stdout, ...findings.find(({ subject }) => subject === "embeddings") };
}

it("makes the vectors of the articles while it serves, and shows how far it is", async () => {
  const daemon = await serveHere([...SMALL_WORLD, "--storage", "memory:"], { cwd: folder.path, env });
  try {
    const metrics = await until("all articles have vectors", async () => {
      const text = await (await fetch(`${daemon.url}/metrics`)).text();
      return /anp_embedding_passages [1-9]/.test(text) && text.includes("anp_embedding_passages_waiting 0\n") && text;
    });
    expect(metrics).toMatch(/anp_embedding_calls_total\{texts="passages",outcome="ok"\} [1-9]/);
    expect(metrics).toMatch(/anp_embedding_tokens_total [1-9]/);
    expect(metrics).not.toMatch(/canary|127\.0\.0\.1/);
    expect(server.headers.map(({ authorization }) => authorization)).toContain("Bearer canary-key");
    const question = "How can I reset it?";
    const response = await fetch(`${daemon.url}/api/v1/ai/chat/send`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-user-token": "alice-token" },
      body: JSON.stringify({ question }),
    });
    expect(response.status).toBe(200);
    expect(server.calls.at(-1)).toEqual([question]);
    const { stdout } = await anp(["status", "--url", daemon.url, "--format", "table"], { cwd: folder.path });
    expect(stdout).toMatch(/\nembeddings +articles \d+, without a vector yet 0, calls failed 0; in use\n/);
  } finally {
    await daemon.end();
  }
});

it("is asked for one vector by doctor, which reports its dimensions or why there is none", async () => {
  const message = expect.stringMatching(/vectors of test-embedding with 256 dimensions in \d+ ms/) as string;
  expect(await doctor()).toMatchObject({ level: "ok", message });
  server.turn = (response) => response.writeHead(401).end("canary-upstream");
  const refused = await doctor();
  expect(refused).toMatchObject({ level: "warning", message: expect.stringContaining("answers 401") as string });
  server.turn = undefined;
  expect(refused.stdout).not.toContain("canary");
});
