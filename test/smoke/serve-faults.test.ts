import { afterAll, beforeAll, expect, it } from "vitest";
import { anp, serveHere } from "../cli/anp.ts";
import { until } from "../support/until.ts";
import { temporaryFolder } from "../support/folder.ts";

let cwd: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ path: cwd, remove } = await temporaryFolder());
});
afterAll(() => remove());

const FAULT = ["--fault", "trade-reward=error"];

it("refuses faults in production, which is where nothing says otherwise", async () => {
  const refused = await anp(["serve", "--storage", "memory:", ...FAULT], { cwd });
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain("error: --fault is refused in production. Give --demo, or set ANP_MODE=staging");
  const env = { ANP_MODE: "production" };
  const demo = await anp(["serve", "--demo", "--storage", "memory:", ...FAULT], { cwd, env });
  expect([demo.code, demo.stderr]).toEqual([2, expect.stringContaining("says that this daemon is in production")]);
});

it("takes them in staging, says so, and fails as asked", async () => {
  const faults = [...FAULT, "--fault", "storage=read-error"];
  const daemon = await serveHere(["--storage", "memory:", "--log-level", "warn", ...faults], {
    cwd,
    env: { ANP_MODE: "staging" },
  });
  await daemon.says('"faults":["trade-reward=error","storage=read-error"]');
  await daemon.says('"fault injection is on"');
  expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
  await until("it is not ready", async () => (await fetch(`${daemon.url}/readyz`)).status === 503);
  expect((await daemon.end("SIGTERM")).code).toBe(0);
});

it("refuses an unknown fault with a hint, and lists all of them in the help", async () => {
  const [wrong, twice, help, topic] = await Promise.all([
    anp(["serve", "--demo", "--fault", "model=timout"], { cwd }),
    anp(["serve", "--demo", "--fault", "model=error", "--fault", "model=empty"], { cwd }),
    anp(["serve", "--help"], { cwd }),
    anp(["help", "faults"], { cwd }),
  ]);
  expect([wrong.code, twice.code]).toEqual([2, 2]);
  expect(wrong.stderr).toMatch(/^error: --fault must be model=.*, not "model=timout"\. Did you mean timeout\?$/m);
  expect(twice.stderr).toContain("error: --fault names model twice.");
  expect(help.stdout).toMatch(/--fault <name=kind>/);
  expect(topic.stdout).toContain("model=timeout");
  expect(topic.stdout).toContain("answers=slow,ms=N");
});
