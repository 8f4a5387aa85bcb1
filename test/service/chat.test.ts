import { describe, expect, it } from "vitest";
import { createMessages } from "../../src/assistant/sessions/messages.ts";
import type { Service } from "../../src/service/service.ts";
import { type Key, StorageError } from "../../src/storage/storage.ts";
import { encodeKey } from "../../src/storage/keys.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { verifyLedger } from "../support/verify-ledger.ts";
import { printKey } from "../../src/storage/documents.ts";
import { openFixtureService } from "../support/service.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";

const question = "提现手续费是多少？";

const ask = (service: Service, idempotency_key?: string, session_id?: number) =>
  service.run(
    "sendChat",
    { request_id: "r", user: "bob", ...(idempotency_key === undefined ? {} : { idempotency_key }) },
    { body: { question, ...(session_id === undefined ? {} : { session_id }) } },
  );

const give = (service: Service, delta: number) =>
  service.adjust({ user: "bob", delta, reason: "test", actor: "test", request_id: "r" });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("chat", () => {
  it("says who reports the news of a day, and when, in the platform's zone, and labels help by its category", async () => {
    const { service } = await openFixtureService();
    const answerTo = async (asked: string) =>
      (await service.run("sendChat", { request_id: asked, user: "demo" }, { body: { question: asked } })).data;
    const news = await answerTo("昨天有什么新闻");
    const [, ...lines] = news.answer.split("\n");
    for (const line of lines) expect(line).toMatch(/（[^（）]+，2026年11月19日）$/);
    expect(lines.some((line) => /（[^，、]+、[^，]+，/.test(line))).toBe(true);
    for (const { published_at } of news.source_items)
      expect(new Date(Date.parse(published_at!) + 8 * 3_600_000).getUTCDate()).toBe(19);
    expect(await answerTo("How to deposit crypto")).toMatchObject({ route: "help", sub_intent: "deposit" });
  });

  it("does not say that nothing was found before the help center has been read for the first time", async () => {
    const { service } = await openFixtureService({ fixture: "small", refresh: false });
    await give(service, 1);
    await expect(ask(service)).rejects.toMatchObject({ code: 1007 });
    const greeting = { body: { question: "你好" } };
    await expect(service.run("sendChat", { request_id: "r", user: "bob" }, greeting)).resolves.toMatchObject({});
    expect(await service.run("getPoints", { request_id: "r", user: "bob" }, {})).toMatchObject({
      data: { balance: 1 },
    });
  });

  it("names the sources of account figures in the script of the question", async () => {
    const { service } = await openFixtureService({ fixture: "small" });
    const body = { question: "我還有多少積分？" };
    const { data } = await service.run("sendChat", { request_id: "r", user: "bob" }, { body });
    expect(data.source_items.map(({ title }) => title)).toEqual(["我的積分", "今日免費次數"]);
    expect(data.answer).toBe(data.source_items.map(({ snippet }) => snippet).join(""));
  });

  it("asks back what needs the turns before, though its words are of the account", async () => {
    const { service } = await openFixtureService({ fixture: "small" });
    for (const asked of ["is it free as well?", "do they charge for that?"]) {
      const { data } = await service.run(
        "sendChat",
        { request_id: asked, user: "demo" },
        { body: { question: asked } },
      );
      expect(data).toMatchObject({ route: "out_of_scope", source_items: [], points_cost: 0 });
      expect(data.answer).toMatch(/whole question/);
    }
  });

  it("gives a repeat that comes while the first is being answered the first answer, with the last point", async () => {
    const { service } = await openFixtureService();
    await give(service, 1);
    const answers = await Promise.all([1, 2, 3].map(() => ask(service, "k")));
    expect(new Set(answers.map(({ data }) => data.message_id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed === true)).toHaveLength(2);
    expect((await verifyLedger(service.storage, "bob")).entries).toBe(2);
    await expect(ask(service, "other")).rejects.toMatchObject({ code: 1005 });
  });

  it("finds what another process charged under the key between its looks at the ledger", async () => {
    const base = await openStorage("memory:");
    let armed = false;
    let first: ReturnType<typeof ask> | undefined;
    const other = interceptStorage(base, async (verb, key, run) => {
      const result = await run();
      const pastTheEnd = verb === "has" && printKey(key).startsWith("users/bob/ledger/") && !result;
      if (armed && first === undefined && pastTheEnd) {
        first = ask(one, "k");
        await first;
      }
      return result;
    });
    const { service: one } = await openFixtureService({ storage: base });
    const { service: two } = await openFixtureService({ storage: other, seed: "two" });
    await give(one, 1);
    armed = true;
    const second = await ask(two, "k");
    expect(second).toMatchObject({ replayed: true, data: (await first)!.data });
  });

  it("lets a waiting repeat try for itself when the first failed", async () => {
    let failures = 0;
    const storage = interceptStorage(await openStorage("memory:"), (_verb, key, run) => {
      if (key[0] === "messages" && failures++ === 0) throw new StorageError("the disk is full");
      return run();
    });
    const { service } = await openFixtureService({ storage });
    await give(service, 1);
    const [first, second] = await Promise.allSettled([ask(service, "k"), ask(service, "k")]);
    expect(first).toMatchObject({ status: "rejected", reason: { message: "the disk is full" } });
    expect(second).toMatchObject({ status: "fulfilled", value: { data: { points_cost: 1 } } });
  });

  it.each(["ledger", "sessions"])("does not count an answer as in flight whose %s is written already", async (what) => {
    const base = await openStorage("memory:");
    let second: Promise<{ data: { points_cost: number } }> | undefined;
    const slow = interceptStorage(base, async (verb, key, run) => {
      const result = await run();
      if (verb !== "create" || !asking || second !== undefined) return result;
      if (!printKey(key).startsWith(`users/bob/${what}/`)) return result;
      // As on files: what was written is there for all to see some time before its writer knows that it is safe.
      second = ask(service, undefined, 8);
      await pause(60);
      return result;
    });
    let asking = false;
    const { service } = await openFixtureService({ storage: slow });
    await give(service, 2);
    asking = true;
    expect((await ask(service, undefined, 7)).data.points_cost).toBe(1);
    await service.settled();
    expect((await second)?.data.points_cost).toBe(1);
  });

  it("makes no more answers at once than the user's points can pay for", async () => {
    const base = await openStorage("memory:");
    let answers = 0;
    const storage = interceptStorage(base, async (verb, key, run) => {
      if (verb === "create" && key[0] === "messages") {
        answers += 1;
        await pause(60);
      }
      return run();
    });
    const { service } = await openFixtureService({ storage });
    await give(service, 2);
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => ask(service)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(results.filter((one) => one.status === "rejected")).toMatchObject([
      { reason: { code: 1005 } },
      { reason: { code: 1005 } },
    ]);
    expect(answers).toBe(2);
  });

  it("adds a turn to its session once, also when answers made side by side changed places", async () => {
    const { service, clock } = await openFixtureService();
    await give(service, 2);
    const messages = createMessages({ storage: service.storage, clock, ids: service.ids });
    const ids = async (): Promise<number[]> =>
      (await messages.history("bob", 7, 10)).map(({ message_id }) => message_id);
    const { data } = await ask(service, "k", 7);
    await service.settled();
    const { message_id, session_id } = data;
    const earlier = { ...(await messages.get(message_id))!, message_id: message_id - 1, session_id };
    await service.storage.put(["messages", String(earlier.message_id)], JSON.stringify(earlier));
    await messages.join(earlier);
    expect(await ids()).toEqual([message_id - 1, message_id]);
    expect((await ask(service, "k", 7)).replayed).toBe(true);
    expect(await ids()).toEqual([message_id - 1, message_id]);
  });

  it("keeps the turn that opened a session under its name, and reads it once where an earlier build kept it", async () => {
    const { service, clock } = await openFixtureService();
    const { storage } = service;
    await give(service, 4);
    const messages = createMessages({ storage, clock, ids: service.ids });
    const opened = (await ask(service)).data.session_id;
    const turns = async (): Promise<number[]> =>
      (await messages.history("bob", opened, 10)).map(({ message_id }) => message_id);
    await service.settled();
    const session: Key = ["users", "bob", "sessions", String(opened)];
    expect(await storage.get(session)).toBe(JSON.stringify({ message_id: 0 }));
    expect(await storage.has([...session, "0", "1"])).toBe(false);
    expect(await turns()).toEqual([opened]);
    await storage.put(session, JSON.stringify({ message_id: opened })); // As an earlier build stored it.
    const second = (await ask(service, undefined, opened)).data.message_id;
    await service.settled();
    expect(await turns()).toEqual([opened, second]);
    await storage.remove([...session, "0", "1"]);
    await storage.remove([...session, "head"]);
    await storage.create([...session, "0", "1"], JSON.stringify({ message_id: opened }));
    expect(await turns()).toEqual([opened]);
    await storage.remove(session);
    expect(await messages.missing("bob", opened, [opened])).toEqual([]);
  });

  it("delivers an answer whose session lost a turn, after one try to add its own", async () => {
    const base = await openStorage("memory:");
    let tries = 0;
    const storage = interceptStorage(base, async (verb, key, run) => {
      if (verb === "create" && printKey(key) === "users/bob/sessions/7/0/2") {
        if (tries++ === 0) await base.remove(["users", "bob", "sessions", "7", "0", "1"]);
        if (tries > 3) throw new Error("it is tried again and again");
      }
      return run();
    });
    const { service } = await openFixtureService({ storage });
    await give(service, 2);
    await ask(service, "one", 7);
    await service.settled();
    const { data } = await ask(service, "two", 7);
    await service.settled();
    expect(tries).toBe(1);
    expect(data.points_cost).toBe(1);
  });

  it("begins to write the turn of the session and the event only when the reply is on its way", async () => {
    const created: string[] = [];
    const storage = interceptStorage(await openStorage("memory:"), (verb, key, run) => {
      if (verb === "create") created.push(printKey(key));
      return run();
    });
    const { service } = await openFixtureService({ storage });
    await give(service, 1);
    created.length = 0;
    await ask(service, "k", 7);
    for (let step = 0; step < 100; step++) await Promise.resolve(); // A response takes so many steps at most.
    const follows = (): string[] => created.filter((key) => /^events\/|\/sessions\//.test(key)).toSorted();
    expect(follows()).toEqual([]);
    await service.settled();
    expect(follows()).toEqual([expect.stringMatching(/^events\//), "users/bob/sessions/7/0/1"]);
  });

  it("lets only the turn of the session and the event of the question be held for other writes", async () => {
    const base = await openStorage("memory:");
    const written: string[] = [];
    const note = (key: string, how?: { readonly later?: boolean | undefined }): void =>
      void written.push(`${key.replace(/[\d-]{9,}/, "N")} ${how?.later === true ? "held" : "at once"}`);
    const append: typeof base.append = (stream, version, value, behind) => {
      note(stream.text, behind);
      return base.append(stream, version, value, behind);
    };
    const create: typeof base.create = (key, value, how) => {
      note(encodeKey(key), how);
      return base.create(key, value, how);
    };
    const { service } = await openFixtureService({ storage: { ...base, append, create } });
    await give(service, 2);
    written.length = 0;
    const { session_id } = (await ask(service)).data;
    await ask(service, undefined, session_id);
    await service.settled();
    await service.run("recordEvent", { request_id: "r", user: "bob" }, { body: { event_type: "page_view" } });
    expect([...new Set(written)].toSorted()).toEqual([
      "events:N at once",
      "events:N held",
      "users:bob:ledger at once",
      "users:bob:sessions:N held",
    ]);
  });

  it("sends a charged answer before its turn of the session is written, and ends with it written", async () => {
    const base = await openStorage("memory:");
    let write = (): void => undefined;
    const held = new Promise<void>((resolve) => (write = resolve));
    const storage = interceptStorage(base, async (verb, key, run) => {
      if (verb === "create" && key[2] === "sessions") await held;
      return run();
    });
    const { service } = await openFixtureService({ storage });
    await give(service, 1);
    const { data } = await ask(service);
    const turn = ["users", "bob", "sessions", String(data.session_id)];
    expect(await base.get(turn)).toBeUndefined();
    const settled = service.settled();
    write();
    await settled;
    expect(JSON.parse((await base.get(turn))!)).toEqual({ message_id: 0 });
  });

  it("lets titles that were offered be chosen from without memory, and asks back where none were", async () => {
    const { service } = await openFixtureService({ fixture: "demo" });
    await give(service, 5);
    const say = async (question: string, session_id?: number) => {
      const { data } = await service.run(
        "sendChat",
        { request_id: "r", user: "bob" },
        { body: { question, session_id } },
      );
      await service.settled();
      return data;
    };
    const { session_id, answer, source_items } = await say("how do I deposit USDT");
    expect(answer).toContain("\n2. ");
    const chosen = await say("the second one", session_id);
    expect(chosen.source_items[0]?.id).toBe(source_items[1]!.id);
    expect(await say("2")).toMatchObject({ points_cost: 0, source_items: [] });
  });

  const LANGUAGES = [
    ["demo", "zh"],
    ["bob", "en"],
  ] as const;
  it.each(LANGUAGES)(
    "answers %s, whose profile says %s, in that language where the question has no words",
    async (user, lang) => {
      const { service } = await openFixtureService({ fixture: "small" });
      await give(service, 10);
      for (const question of ["？？？", "👍", "123", "ok", "KYC", "T+1"]) {
        const { data } = await service.run("sendChat", { request_id: question, user }, { body: { question } });
        expect(/\p{Script=Han}/u.test(data.answer), `${question}: ${data.answer}`).toBe(lang === "zh");
      }
    },
  );

  it("answers what has no words in the language of the session, also without memory", async () => {
    const { service } = await openFixtureService({ fixture: "small" });
    await give(service, 5);
    const say = async (asked: string, session_id?: number) => {
      const given = { request_id: asked, user: "bob" };
      const { data } = await service.run("sendChat", given, { body: { question: asked, session_id } });
      await service.settled();
      return data;
    };
    const { session_id, points_cost } = await say(question);
    expect(points_cost).toBe(1);
    expect((await say("？？？", session_id)).answer).toMatch(/\p{Script=Han}/u);
    expect((await say("？？？")).answer).not.toMatch(/\p{Script=Han}/u);
  });

  it("writes times in prose as people do, and sets the name of a plan off from a Chinese sentence", async () => {
    const { service } = await openFixtureService({ fixture: "small" });
    const answerTo = async (asked: string) =>
      (await service.run("sendChat", { request_id: asked, user: "demo" }, { body: { question: asked } })).data.answer;
    expect(await answerTo("我还剩几次免费提问")).toMatch(/下次重置时间为 \d{4}-\d\d-\d\d 00:00 \(\+08:00\)/);
    expect(await answerTo("how many free questions do I have left")).toMatch(/ at \d{4}-\d\d-\d\d 00:00 \(\+08:00\)/);
    expect(await answerTo("我的积分明细")).toMatch(
      / \d{4}-\d\d-\d\d \d\d:\d\d \(UTC\) |：\d{4}-\d\d-\d\d \d\d:\d\d \(UTC\) /,
    );
    expect(await answerTo("我的套餐是什么")).toMatch(/「\w+」/);
  });
});
