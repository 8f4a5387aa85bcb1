import { afterEach, describe, expect, it } from "vitest";
import type { AnpError } from "../../src/contract/errors.ts";
import type { Service } from "../../src/service/service.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { DAY_MS } from "../../src/runtime/clock.ts";
import { findDamagedValues } from "../support/find-damaged-values.ts";
import { fails, hangs, says, startModelServer, type ModelServer, type Turn } from "../assistant/model-server.ts";
import { openFixtureService } from "../support/service.ts";

const FEE = "提现手续费是多少？";
const GROUNDED = "提现手续费按币种和网络收取固定数量 [1]。";
const UNGROUNDED = "提现手续费是 77 BTC [1]。";

let server: ModelServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function open(flags: Record<string, string | number>, ...turns: [Turn, ...Turn[]]) {
  server = await startModelServer(...turns);
  const model = { base_url: server.baseUrl, model: "m", max_retries: 0, max_output_tokens: 100, prompt_tokens: 1000 };
  const named = Object.entries({ ...model, ...flags }).map(([key, value]) => [`model.${key}`, value]);
  const storage = await openStorage("memory:");
  const options = { storage, flags: Object.fromEntries(named) as Record<string, string | number> };
  return { ...(await openFixtureService(options)), options };
}

/** The model of an answer, or the code of its failure. */
async function ask(service: Service, user: string, question = FEE): Promise<string | number> {
  const asked = service.run("sendChat", { request_id: "r", user }, { body: { question } });
  return asked.then(
    ({ data }) => data.model_name,
    (error: unknown) => (error as AnpError).code,
  );
}

const usedOf = async (service: Service) => (await service.tokensOfDay())?.tokens;

describe("a budget of tokens", () => {
  it("of a user's day refuses calls for nothing once it is used up, until the next day, also after a restart", async () => {
    const { service, clock, options } = await open({ "budget.user_day": 2500 }, says(GROUNDED, "stop", [900, 100]));
    expect([await ask(service, "alice"), await ask(service, "alice"), await ask(service, "alice")]).toEqual([
      "m",
      "m",
      1007,
    ]);
    expect(await ask(service, "demo")).toBe("m");
    const { data } = await service.run("getMe", { request_id: "r", user: "alice" }, {});
    expect(data.free_daily_used).toBe(2);
    const { service: again } = await openFixtureService({ ...options, seed: "again" });
    expect(await ask(again, "alice")).toBe(1007);
    expect(server!.requests).toHaveLength(3);
    clock.set(clock.now() + DAY_MS);
    expect(await ask(service, "alice")).toBe("m");
    expect(await findDamagedValues(service.storage)).toEqual([]);
    await service.storage.put(["users", "alice", "model-tokens"], "{}");
    expect(await findDamagedValues(service.storage, "alice")).toMatchObject([{ user: "alice" }]);
  });

  it("of the day holds for all users; answers are extracted then where that is configured", async () => {
    const flags = { "budget.day": 1600, fallback: "extractive" };
    const { service } = await open(flags, says(GROUNDED, "stop", [900, 100]));
    expect([await ask(service, "alice"), await ask(service, "demo")]).toEqual(["m", "local-extractive"]);
    expect(await service.tokensOfDay()).toMatchObject({ budget: 1600, tokens: 1000 });
  });

  it("is not passed by questions that are asked at once", async () => {
    const { service } = await open({ "budget.day": 2400 }, says(GROUNDED, "stop", [900, 100]));
    const answers = await Promise.all(["alice", "demo", "carol", "alice", "demo"].map((user) => ask(service, user)));
    expect(answers.filter((answer) => answer === "m")).toHaveLength(2);
    expect([server!.requests.length, await usedOf(service)]).toEqual([2, 2000]);
  });

  it("of an answer shortens its prompt, and leaves no room for a correction", async () => {
    const { service } = await open({ "budget.answer": 1000 }, says(UNGROUNDED, "stop", [500, 50]));
    expect(await ask(service, "alice")).toBe(1007);
    expect(server!.requests).toHaveLength(1);
  });

  it("counts the call that verifies a reply, and leaves it out where it could pass the budget; one use is charged", async () => {
    const judged = { statements: [{ number: 1, difference: "", verdict: "supported", calculations: [] }] };
    const turns = [says(GROUNDED, "stop", [900, 100]), says(JSON.stringify(judged), "stop", [1500, 50])] as const;
    for (const [budget, used, calls] of [
      [9000, 2550, 2],
      [1800, 1000, 1],
    ]) {
      const { service } = await open({ "budget.day": budget!, "verify.timeout_ms": 60_000 }, ...turns);
      expect(await ask(service, "alice")).toBe("m");
      const { data } = await service.run("getMe", { request_id: "r", user: "alice" }, {});
      expect([await usedOf(service), server!.requests.length, data.free_daily_used]).toEqual([used, calls, 1]);
      await server!.close();
    }
  });

  it.each<[string, Turn, Record<string, number>, (used: number) => boolean]>([
    [
      "estimated where the provider reports none",
      says(GROUNDED, "stop", null),
      {},
      (used) => used > 400 && used < 1100,
    ],
    ["taken from the report, however large", says(GROUNDED, "stop", [2 ** 52, 1]), {}, (used) => used === 1e12],
    ["estimated for a reply that was not waited for", hangs, { timeout_ms: 80 }, (used) => used > 400 && used < 1100],
    ["none for a call that the provider refused", fails(500), {}, (used) => used === 0],
  ])("counts tokens: %s", async (_, turn, flags, isRight) => {
    const { service } = await open({ "budget.day": 5000, ...flags }, turn);
    await ask(service, "alice");
    expect(await usedOf(service)).toSatisfy(isRight);
  });
});
