import { expect, it } from "vitest";
import { planDaemon, serveLine } from "../../src/smoke/run/own-daemon.ts";
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
  const plan = await planDaemon(file, { MODEL: "m1" });
  expect(plan).toMatchObject({ loaded: { config: { model: { model: "m1" }, exchange: { max_amount: 5 } } } });
  expect(faultsOf(text.replace("env.MODEL", "run.id") + "\nsteps:\n  - request: GET /readyz\n")).toEqual([
    "1:110: ${run.id} is not known before the daemon runs; only ${env.NAME} is.",
  ]);
});
