import { appendFile, cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { planDaemon, serveLine } from "../../src/smoke/run/own-daemon.ts";
import { temporaryFolder } from "../support/folder.ts";
import { faultsOf, smokeFileOf } from "./smoke-files.ts";

async function lineOf(header: string): Promise<string | undefined> {
  const plan = await planDaemon(smokeFileOf(`${header}\nsteps:\n  - request: GET /api/v1/ai/me\n`));
  if (typeof plan === "string") throw new Error(plan);
  return serveLine(plan);
}

it("prints the command that starts a daemon like a file's own", async () => {
  expect(await lineOf("seed: a b\nfaults: [model=error, 'answers=slow,ms=5']\nconfig: { exchange: { rate: 7 } }")).toBe(
    "ANP_EXCHANGE_RATE=7 anp serve --demo --storage memory: --now 2026-11-20T00:00:00Z --seed 'a b' " +
      "--fault model=error --fault answers=slow,ms=5",
  );
});

it("keeps a secret of the configuration to itself", async () => {
  const config = "config: { model: { base_url: http://127.0.0.1:1/v1, model: m, api_key: hush } }";
  expect(await lineOf(config)).toContain('ANP_MODEL_API_KEY="$ANP_MODEL_API_KEY"');
  expect(await lineOf(config)).not.toContain("hush");
});

it("prints none where the configuration holds what no environment variable can", async () => {
  expect(await lineOf("config: { plans: { free: { memory: false, advanced_research: false } } }")).toBeUndefined();
});

it("takes values of the environment into the configuration", async () => {
  const text =
    "config: { exchange: { max_amount: '${env.MOST:int:-5}' }, model: { base_url: 'http://127.0.0.1:1/v1', model: '${env.MODEL}' } }";
  const file = smokeFileOf(`${text}\nsteps:\n  - request: GET /api/v1/ai/me\n`, { MODEL: "m1" });
  const plan = await planDaemon(file, { MODEL: "m1" }, "", true);
  expect(plan).toMatchObject({ loaded: { config: { model: { model: "m1" }, exchange: { max_amount: 5 } } } });
  expect(faultsOf(text.replace("env.MODEL", "run.id") + "\nsteps:\n  - request: GET /readyz\n")).toEqual([
    "1:110: ${run.id} is not known before the daemon runs; only ${env.NAME} is.",
  ]);
});

it.each([
  ["model: { base_url: 'http://127.0.0.1:1/${env.KEY}/v1', model: x }", "model.base_url reads the environment"],
  ["model: { base_url: http://127.0.0.1:1, model: '${env.NO:-x}' }", "model.model reads the environment"],
  ["news: { contact: 'a${env.${env.KEY}:-b}' }", "news.contact reads the environment"],
  ["model: { base_url: 'https://llm.example/v1', model: x }", "model.base_url is at another host"],
  [
    "model: { base_url: 'http://[::1]/v1', model: x, providers: [{ base_url: 'http://10.0.0.1', model: x }] }",
    "model.providers.0.base_url is at another host",
  ],
  ["model: { base_url: 'http://localhost:1@llm.example/v1', model: x }", "model.base_url is at another host"],
  ["embeddings: { base_url: 'http://127.0.0.1.example.org/v1', model: x }", "embeddings.base_url is at another host"],
  ["auth: { jwt: { jwks_url: 'http://localhost.example/keys' } }", "auth.jwt.jwks_url is at another host"],
  ["news: { notices: ' HTTP:\\\\files.example/n.json' }", "news.notices is at another host"],
  [
    "news: { sources: [{ id: a, name: A, lang: en, url: 'feed:https://wire.example/rss' }] }",
    "news.sources.0.url is at another host",
  ],
])("takes config { %s } only from a trusted file", async (config, reason) => {
  const env = { KEY: "hush" };
  const file = smokeFileOf(`name: x\nconfig: { ${config} }\nsteps: [{ request: GET /readyz }]\n`, env);
  const refused = await planDaemon(file, env);
  expect(refused).toContain(`: config.${reason}`);
  expect(refused).toMatch(/^test\.yaml:2:\d+: .* Only --trust-config allows that/);
  expect(refused).not.toContain("hush");
  expect(await planDaemon(file, env, "", true)).toHaveProperty("loaded");
});

it("lets any file name the loopback, and addresses that are never contacted", async () => {
  const model = "model: { base_url: 'http://127.8.0.1:1/v1', model: x, headers: { referer: 'https://a.example' } }";
  const others = "server: { cors: { origins: ['https://app.example'] } }, news: { contact: 'https://desk.example' }";
  const embeddings = "embeddings: { base_url: 'http://localhost:2/v1', model: x }";
  expect(await lineOf(`config: { ${model}, ${embeddings}, ${others} }`)).toBeUndefined();
});

it("refuses another host in the configuration of a file's fixture", async () => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  await cp(join(import.meta.dirname, "../../fixtures/coverage-zh"), folder.path, { recursive: true });
  const model = 'model: { base_url: "https://llm.example/v1", model: x }\n';
  await appendFile(join(folder.path, "config.yaml"), model);
  const file = smokeFileOf(`fixtures: ${folder.path}\nsteps: [{ request: GET /readyz }]\n`);
  expect(await planDaemon(file)).toContain("config.model.base_url is at another host");
  expect(await planDaemon(file, {}, "", true)).toHaveProperty("loaded");
});
