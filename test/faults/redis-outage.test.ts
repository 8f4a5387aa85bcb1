import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { ANP, SMALL_WORLD } from "../support/program.ts";
import { startDaemon, type Daemon } from "../support/daemon.ts";
import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { ledgerOn } from "./redis-ledger-load.ts";

/** What a caller may have to wait for an answer, ms. */
const IN_TIME = 2000;
/** What a machine that is busy with other tests may add, ms. */
const BUSY = 20_000;
const ALICE = { "x-user-token": "alice-token" };

describe.skipIf(noRedis !== undefined)("while Redis does not answer", () => {
  let server: RedisServer;
  let daemon: Daemon;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  beforeAll(async () => {
    folder = await temporaryFolder();
    server = await startRedis({ config: { appendonly: "yes", appendfsync: "always" } });
    daemon = await startDaemon([...SMALL_WORLD, "--storage", server.url(), "--log-level", "info"]);
  });
  afterAll(async () => {
    await daemon.end("SIGKILL");
    await server.stop();
    await folder.remove();
  });

  interface Asked {
    readonly path: string;
    readonly json?: object;
    readonly key?: string;
  }

  async function ask({
    path,
    json,
    key,
  }: Asked): Promise<{ status: number; ms: number; text: string; retry: unknown }> {
    const start = performance.now();
    const response = await fetch(daemon.url + path, {
      ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
      headers: {
        ...ALICE,
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
    });
    const text = await response.text();
    const retry = response.headers.get("retry-after");
    return { status: response.status, ms: performance.now() - start, text, retry };
  }

  const exchange: Asked = { path: "/api/v1/ai/points/exchange", json: { token_amount: 1 }, key: "during-the-outage" };
  const needStorage: Asked[] = [
    { path: "/api/v1/ai/me" },
    { path: "/api/v1/ai/points" },
    { path: "/api/v1/ai/points/ledger" },
    { path: "/api/v1/ai/chat/send", json: { question: "What is the withdrawal fee?" }, key: "chat-during" },
    exchange,
  ];

  /** Every request gets a 503 in time, and what needs no storage goes on. Gives the shortest time of a 503, ms. */
  async function expectOutage(): Promise<number> {
    const answers = await Promise.all([...needStorage, ...needStorage, ...needStorage].map(ask));
    for (const { status, ms, text, retry } of answers) {
      expect(JSON.parse(text)).toMatchObject({ success: false, code: 503 });
      expect(status).toBe(503);
      expect(Number(retry)).toBeGreaterThan(0);
      expect(ms).toBeLessThan(IN_TIME + BUSY);
    }
    expect(await ask({ path: "/readyz" })).toMatchObject({ status: 503 });
    expect(await ask({ path: "/healthz" })).toMatchObject({ status: 200 });
    expect(await ask({ path: "/api/v1/ai/hot-topics" })).toMatchObject({ status: 200 });
    expect(await ask({ path: "/api/v1/ai/recommended-questions" })).toMatchObject({ status: 200 });
    return Math.min(...answers.map(({ ms }) => ms));
  }

  async function expectRecovery(): Promise<void> {
    await until("the daemon was ready again", async () => (await ask({ path: "/readyz" })).status === 200);
    const answer = await ask(exchange);
    expect(answer.status).toBe(200);
    expect(await ask(exchange)).toMatchObject({ status: 200 });
    const storage = await openStorage(server.url());
    const operations: string[] = [];
    for await (const { operation } of ledgerOn(storage).entries("alice")) operations.push(operation.id);
    expect(operations.filter((id) => id === `key:${exchange.key}`)).toHaveLength(1);
    await storage.close();
  }

  /** A command line ends with 6, in time, with one error and what to do, and at once after it said so. */
  async function expectUnreachable(...args: string[]): Promise<void> {
    const start = performance.now();
    const child = spawn(process.execPath, [ANP, ...args, "--storage", server.url()], { cwd: folder.path });
    let output = "";
    let said = Infinity;
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      said = performance.now();
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect(code).toBe(6);
    expect(output).toMatch(
      /^error: Redis at redis:\/\/127\.0\.0\.1:\d+\/0 [^\n]+\nCheck --storage, and that it can be reached and written\.[^\n]*\n$/,
    );
    expect(output).not.toMatch(/maxRetries|Socket timeout|Connection is closed/);
    expect(performance.now() - start, args.join(" ")).toBeLessThan(IN_TIME + BUSY);
    expect(performance.now() - said, args.join(" ")).toBeLessThan(BUSY);
  }

  it("answers 503 and exits with 6 in time while it is paused, without a storm in the log, and goes on afterwards", async () => {
    expect((await ask({ path: "/api/v1/ai/me" })).status).toBe(200);
    const before = daemon.log().length;
    server.pause();
    // In the end nobody waits any more, not even the second that a server is given to come back.
    await until("requests were refused at once", async () => (await expectOutage()) < 1000);
    await expectUnreachable("quota", "alice");
    const lines = daemon.log().slice(before).trim().split("\n");
    expect(lines.length).toBeLessThan(10);
    server.resume();
    await expectRecovery();
  });

  it("answers 503 and exits with 6 in time while it is down, and goes on when it was started again", async () => {
    const before = daemon.log().length;
    await server.kill();
    // Until then it may repeat what it remembers: the result of the last operation.
    await until("the daemon noticed", async () => (await ask({ path: "/readyz" })).status === 503);
    await expectOutage();
    await expectUnreachable("ledger", "alice");
    await expectUnreachable("serve", "--port", "0");
    const lines = daemon.log().slice(before).trim().split("\n");
    expect(lines.length).toBeLessThan(10);
    await server.restart();
    await expectRecovery();
  });

  it("ends on SIGTERM although Redis is paused", async () => {
    server.pause();
    expect((await ask({ path: "/api/v1/ai/me" })).status).toBe(503);
    expect((await daemon.end("SIGTERM")).code).toBe(0);
    server.resume();
  });
});
