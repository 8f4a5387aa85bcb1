import { execFileSync } from "node:child_process";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createMessages } from "../../src/assistant/sessions/messages.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { createIds } from "../../src/runtime/ids.ts";
import { seededRandom } from "../../src/runtime/random.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { anp, serveHere, type DaemonHere } from "../cli/anp.ts";
import { temporaryFolder } from "../support/folder.ts";

const FIRST = join(import.meta.dirname, "../data/formats/first");
const NOW = ["--now", "2026-11-20T05:00:00Z"] as const;

/** Hash of the last entry of each ledger, as the build that wrote the data printed it. */
const HEADS = {
  alice: { entries: 5, balance: 27, head: "1c68e4705e71a17e957ae892ef53d7d6e4cf231bf42c2c7645943b3374d7792a" },
  bob: { entries: 3, balance: 49, head: "0ba8b2607f0881bc9ab930d0ce27842cdd764e1d8ca76b23717d6904f9b25c86" },
  张伟: { entries: 70, balance: 70, head: "3a165b1756b34c7dcd07871b7b6826bfe736c375264fcb4f7c4d6f483a6e8840" },
};

const verified = Object.entries(HEADS).map(([user_id, ledger]) => ({ user_id, ...ledger, state: "ok" }));

describe("data of the first format", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let cwd: string;
  let daemon: DaemonHere;
  let tokens: Record<"alice" | "bob" | "revoked" | "张伟", string>;
  const storage = (name: string): string[] => ["--storage", `fs:${join(cwd, name)}`];
  const config = (): string[] => ["--config", join(cwd, "world/config.yaml")];

  beforeAll(async () => {
    folder = await temporaryFolder();
    cwd = folder.path;
    await cp(FIRST, cwd, { recursive: true });
    await cp(join(cwd, "data"), join(cwd, "served"), { recursive: true });
    tokens = JSON.parse(await readFile(join(cwd, "tokens.json"), "utf8")) as typeof tokens;
    daemon = await serveHere([...storage("served"), ...config(), ...NOW], { cwd });
  });

  afterAll(async () => {
    await daemon.end();
    await folder.remove();
  });

  async function run(...args: string[]): Promise<unknown> {
    const { code, stdout, stderr } = await anp([...args, ...storage("data"), ...config(), ...NOW, "--json"], { cwd });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return JSON.parse(stdout);
  }

  async function call(path: string, token: string, body?: object, key?: string) {
    const response = await fetch(`${daemon.url}/api/v1/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        "x-user-token": token,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { data } = (await response.json()) as { data: unknown };
    return { status: response.status, replayed: response.headers.get("idempotency-replayed"), data };
  }

  test("every ledger verifies to the hash that it had", async () => {
    expect(await run("ledger", "verify", "--all")).toEqual(verified);
  });

  test("tokens, balances, quota and plan are the same", async () => {
    const quota = { free_daily_quota: 1, free_daily_used: 1, remaining_free_quota: 0 };
    expect((await call("ai/me", tokens.alice)).data).toMatchObject({ user_id: "alice", balance_points: 27, ...quota });
    expect((await call("ai/me", tokens["张伟"])).data).toMatchObject({ user_id: "张伟", balance_points: 70 });
    expect((await call("ai/subscription", tokens.bob)).data).toMatchObject({ plan: "pro", is_active: true });
    expect((await call("ai/me", tokens.revoked)).status).toBe(401);
  });

  test("an operation that was done is found again, with its first result", async () => {
    expect(await call("ai/points/exchange", tokens.alice, { token_amount: 1.5 }, "ex-1")).toEqual({
      status: 200,
      replayed: "true",
      data: { token_amount: 1.5, points_earned: 15, balance_after: 15, exchange_rate: 10 },
    });
    const reward = { trade_type: "spot", volume_usd: 1234.5, ref_id: "trade-77" };
    expect(await call("ai/points/trade-reward", tokens.alice, reward)).toMatchObject({
      status: 200,
      replayed: "true",
      data: { points_earned: 12 },
    });
    const asked = await call("ai/chat/send", tokens.alice, { question: "How do I deposit crypto?" }, "ask-1");
    expect(asked).toMatchObject({ status: 200, replayed: "true", data: { message_id: 114366873603703 } });
    const event = { event_type: "feedback", feedback_type: "helpful", message_id: 114366873603705 };
    const sent = { ...event, session_id: 114366873603705 };
    expect((await call("ai/events", tokens.bob, sent, "ev-1")).data).toMatchObject({ event_id: "2026-11-20-5-0" });
    expect((await call("ai/points", tokens.alice)).data).toMatchObject({ balance: 27 });
  });

  test("a ledger goes on from its last entry", async () => {
    expect((await call("ai/points/exchange", tokens["张伟"], { token_amount: 1 })).data).toMatchObject({
      balance_after: 80,
    });
    const { data } = await call("ai/points/ledger?page_size=2", tokens["张伟"]);
    expect(data).toMatchObject({ total: 71, items: [{ id: 71 }, { id: 70 }] });
  });

  test("questions, answers and feedback are shown", async () => {
    expect(await run("users", "show", "bob")).toMatchObject({
      last_questions: [{ question: "Is registration free?" }, { question: "How do I register an account?" }],
      feedback: [{ feedback_type: "helpful" }],
    });
    expect(await run("events", "stats")).toMatchObject({ feedback: { helpful: 1, inaccurate: 0 } });
  });

  test("the published news are shown before any refresh", async () => {
    expect(await run("news", "hot", "--hours", "720")).toMatchObject({ total: 3 });
    expect(await run("news", "topics", "--lang", "en")).toMatchObject({
      topics: [{ title: "Bitcoin rises above $104,000 as ETF inflows return", size: 2 }],
    });
  });

  test("a storage export is imported", async () => {
    const input = await readFile(join(cwd, "storage-export.jsonl"), "utf8");
    const target = storage("imported");
    expect(await anp(["storage", "import", "-", ...target, ...NOW], { cwd, input })).toMatchObject({ code: 0 });
    const { stdout } = await anp(["ledger", "verify", "--all", ...target, ...NOW, "--json"], { cwd });
    expect(JSON.parse(stdout)).toEqual(verified);
  });

  test("a ledger export prints the ledgers as the first one did", async () => {
    const first = await readFile(join(cwd, "ledger-export.jsonl"), "utf8");
    const { stdout } = await anp(["ledger", "export", ...storage("data"), ...NOW], { cwd });
    // Between the header, which was followed by a line with the users, and the checksum.
    expect(stdout.split("\n").slice(1, -2)).toEqual(first.split("\n").slice(2, -2));
  });
});

test("ledgers whose full folders are sealed, and snapshots that are patches, are read", async () => {
  const { path: cwd, remove } = await temporaryFolder();
  onTestFinished(remove);
  // An archive keeps the links between the names of sealed items.
  execFileSync("tar", ["-xzf", join(FIRST, "../second/data.tar.gz")], { cwd });
  const run = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await anp([...args, "--storage", `fs:${join(cwd, "data")}`, ...NOW, "--json"], { cwd })).stdout);
  const head = "eaf66e3f510f4a0f5b6ea434ca42e8e4c03e5d3c821ffd5620d8ac7b5081c7ac";
  expect(await run("ledger", "verify", "--all")).toEqual([
    { user_id: "alice", entries: 1003, balance: 1003, head, state: "ok" },
  ]);
  const { news } = (await run("news", "hot", "--hours", "720")) as { news: readonly { title: string }[] };
  expect(news.map(({ title }) => title)).toEqual(expect.arrayContaining(["A bridge over the lake opens"]));
  expect(news).toHaveLength(4);
});

test("sessions are read whose first turn is a value of its own, or the first item of a stream", async () => {
  const { path: cwd, remove } = await temporaryFolder();
  onTestFinished(remove);
  execFileSync("tar", ["-xzf", join(FIRST, "../third/data.tar.gz")], { cwd });
  const clock = fixedClock(Date.parse(NOW[1]));
  const ids = createIds(clock, seededRandom("formats"));
  const turnsOf = async (folder: string, user: string, session: number): Promise<number[]> => {
    const storage = await openStorage(`fs:${folder}`);
    const turns = await createMessages({ storage, clock, ids }).history(user, session, 10);
    await storage.close();
    return turns.map(({ message_id }) => message_id);
  };
  const opened = 117920563200258;
  expect(await turnsOf(join(cwd, "data"), "dora", opened)).toEqual([opened, 117920563204032]);
  expect(await turnsOf(join(FIRST, "data"), "bob", 114366873603705)).toHaveLength(2);
});
