import { afterEach, describe, expect, it } from "vitest";
import type { Service } from "../../src/service/service.ts";
import { fails, says, startModelServer, type ModelServer, type Turn } from "../assistant/model-server.ts";
import { openFixtureService } from "../support/service.ts";

const FEE = "提现手续费是多少？";
const GROUNDED = "提现手续费按币种和网络收取固定数量 [1]。";

let server: ModelServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const ask = (service: Service, question = FEE) =>
  service.run("sendChat", { request_id: "r", user: "bob" }, { body: { question } });

/** Bob has one point, and his question is being answered by a model that has not replied yet. */
async function openWithAnswerInFlight(reply: Turn, wait_ms: number) {
  let finish!: () => void;
  let begun!: () => void;
  const begins = new Promise<void>((resolve) => (begun = resolve));
  const held: Turn = (response, request) => {
    finish = () => reply(response, request);
    begun();
  };
  server = await startModelServer(held, says(GROUNDED));
  const model = { "model.base_url": server.baseUrl, "model.model": "m", "model.max_retries": 0 };
  const { service } = await openFixtureService({ flags: { ...model, "limits.wait_ms": wait_ms } });
  await service.adjust({ user: "bob", delta: 1, reason: "test", actor: "test", request_id: "r" });
  const first = ask(service);
  first.catch(() => undefined);
  await begins;
  return { service, first, finish: () => finish() };
}

describe("a question that could be paid but for an answer in flight", () => {
  it("is answered once that answer turns out to cost nothing", async () => {
    const { service, first, finish } = await openWithAnswerInFlight(fails(500), 0);
    const second = ask(service);
    second.catch(() => undefined);
    expect((await ask(service, "我还有多少积分？")).data).toMatchObject({ route: "account", points_cost: 0 });
    expect(server!.requests).toHaveLength(1);
    finish();
    await expect(first).rejects.toMatchObject({ code: 1007 });
    expect((await second).data).toMatchObject({ points_cost: 1, credits_remaining: 0, model_name: "m" });
  });

  it("is refused with 1005, and not computed, once that answer is charged", async () => {
    const { service, first, finish } = await openWithAnswerInFlight(says(GROUNDED), 0);
    const others = [ask(service), ask(service)].map((asked) => asked.catch((error: unknown) => error));
    expect((await ask(service, "你好")).data).toMatchObject({ route: "small_talk" });
    finish();
    expect((await first).data).toMatchObject({ points_cost: 1, credits_remaining: 0 });
    expect(await Promise.all(others)).toMatchObject([{ code: 1005 }, { code: 1005 }]);
    expect(server!.requests).toHaveLength(1);
  });

  it("is told with 429 to come back when that answer takes longer than the longest wait", async () => {
    const { service, first, finish } = await openWithAnswerInFlight(says(GROUNDED), 2000);
    await expect(ask(service)).rejects.toMatchObject({
      code: 429,
      message: expect.stringContaining("in flight") as string,
    });
    expect(server!.requests).toHaveLength(1);
    finish();
    expect((await first).data.points_cost).toBe(1);
    await expect(ask(service)).rejects.toMatchObject({ code: 1005 });
  });
});
