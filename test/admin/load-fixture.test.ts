import { describe, expect, it } from "vitest";
import { verifyLedger } from "../support/verify-ledger.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { ANCHOR, openFixtureService, type FixtureService } from "../support/service.ts";

async function world({ service }: FixtureService): Promise<unknown> {
  const events: string[] = [];
  for await (const line of service.events.export()) events.push(line);
  const users = await Promise.all(
    ["demo", "alice", "bob", "carol"].map(async (user) => [
      (await service.userStates.of(user)).ledger.account,
      await service.subscriptions.get(user),
      (await service.tokens.list(user)).length,
      await verifyLedger(service.storage, user),
    ]),
  );
  return { events, users };
}

describe("the demo", () => {
  it("has its four users, 200 events and enough content in both languages", async () => {
    const opened = await openFixtureService();
    const { service } = opened;
    expect(await service.authenticate("carol-token")).toBe("carol");
    expect((await service.userStates.of("demo")).funds).toEqual({ free: 9999, points: 100_000 });
    expect((await service.userStates.of("alice")).funds).toEqual({ free: 5, points: 0 });
    expect((await service.userStates.of("bob")).funds).toEqual({ free: 0, points: 0 });
    expect((await service.userStates.of("carol")).funds).toEqual({ free: 0, points: 1000 });
    expect((await service.events.stats()).events).toBe(200);
    const { data } = await service.run("getHotTopics", { request_id: "r" }, {});
    const { news, notice, help } = data.refresh_meta.coverage;
    for (const lang of ["zh", "en"]) {
      expect(help?.[lang]).toBeGreaterThanOrEqual(40);
      expect(notice?.[lang]).toBe(20);
      expect(news?.[lang]).toBeGreaterThanOrEqual(55);
    }
    expect(data.user_hot_questions.length).toBeGreaterThan(0);
    expect(data.topics).toHaveLength(6);
  });

  it("changes nothing when it is loaded again, later or by four processes at once", async () => {
    const folder = await temporaryFolder();
    const open = async (now: number): Promise<FixtureService> =>
      openFixtureService({ storage: await openStorage(`fs:${folder.path}`), now, refresh: false });
    const four = await Promise.all([open(ANCHOR), open(ANCHOR), open(ANCHOR), open(ANCHOR)]);
    const before = await world(four[0]);
    expect(before).toMatchObject({ events: { length: 200 } });
    expect(await world(await open(ANCHOR + 5 * 86_400_000))).toEqual(before);
    await folder.remove();
  });

  it("moves its dates to the clock, so that two days of news are never empty, without counting an update", async () => {
    const later = await openFixtureService({ now: ANCHOR + 400 * 86_400_000 + 1_234_567 });
    const news = await later.service.run("getNewsHot", { request_id: "r" }, {});
    expect(news.data.total).toBeGreaterThanOrEqual(35);
    for (const { published_at } of news.data.news)
      expect(Date.parse(published_at)).toBeLessThanOrEqual(later.clock.now());
    later.clock.advance(7_200_000);
    const call = { request_id: "r", user: "demo" };
    expect((await later.service.run("refreshNews", call, { query: { mode: "full" } })).data).toMatchObject({
      news_updated_count: 0,
      notice_updated_count: 0,
      topic_rebuild_count: 0,
    });
  });

  it("moves nothing when the clock is at its anchor", async () => {
    const { service } = await openFixtureService();
    const { data } = await service.run("getNewsHot", { request_id: "r" }, { query: { limit: 100, hours: 720 } });
    const newest = data.news[0]!;
    expect(newest.published_at).toMatch(/^2026-11-19T2\d:\d\d:00\.000Z$/);
  });
});

describe("the fixture without English help", () => {
  it("records the gap as a state: nothing fails, and an English question is answered honestly and free of charge", async () => {
    const { service } = await openFixtureService({ fixture: "coverage-zh" });
    const call = { request_id: "r", user: "demo" };
    const { data } = await service.run("getHotTopics", call, {});
    expect(data.refresh_meta.coverage["help"]).toEqual({ zh: 12, en: 0 });
    const english = (await service.run("sendChat", call, { body: { question: "How do I withdraw USDT?" } })).data;
    expect(english.points_cost).toBe(0);
    // The Chinese help may answer: it is shown as not sure, and said to be Chinese.
    expect(english.answer).toMatch(
      /^I am not sure that this answers .*\n(?:.*\n)?\(quoted from an article in Chinese\)/,
    );
    expect(english.source_items.map(({ lang }) => lang)).toContain("zh");
    const chinese = (await service.run("sendChat", call, { body: { question: "提现手续费是多少？" } })).data;
    expect(chinese.source_items.length).toBeGreaterThan(0);
  });
});
