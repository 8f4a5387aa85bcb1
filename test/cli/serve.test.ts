import { readdir, mkdir, open, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterEach, expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";
import { anp, serveHere, spawnAnp, type DaemonHere } from "./anp.ts";
import { spawnDaemon, startDaemon, type Daemon } from "../support/daemon.ts";
import { SMALL_WORLD, type Ended } from "../support/program.ts";

const folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];
const daemons: (() => Promise<Ended>)[] = [];

afterEach(async () => {
  for (const end of daemons.splice(0)) await end();
  for (const folder of folders.splice(0)) await folder.remove();
});

async function newFolder(): Promise<string> {
  const folder = await temporaryFolder();
  folders.push(folder);
  return folder.path;
}

async function start(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Daemon> {
  const daemon = await startDaemon(args, { cwd, env });
  daemons.push(() => daemon.end("SIGKILL"));
  return daemon;
}

/** In this process. */
async function startHere(
  cwd: string,
  args: readonly string[],
  options: Omit<Parameters<typeof serveHere>[1], "cwd"> = {},
): Promise<DaemonHere> {
  const daemon = await serveHere([...args, "--log-level", "info"], { cwd, ...options });
  daemons.push(() => daemon.end());
  return daemon;
}

/** Kept nowhere. */
const IN_MEMORY = [...SMALL_WORLD, "--storage", "memory:"];

const asDemo = { "x-user-token": "demo-token" };

async function call(
  url: string,
  path: string,
  body?: object,
): Promise<{ status: number; data: Record<string, unknown> }> {
  const response = await fetch(`${url}/api/v1/ai/${path}`, {
    headers: { ...asDemo, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  return { status: response.status, data };
}

it("refuses to start with a help center that is larger than its bound", async () => {
  const cwd = await newFolder();
  const config = join(cwd, "anp.yaml");
  await writeFile(join(cwd, "help.json"), JSON.stringify({ articles: [{ id: "a", title: "x".repeat(2000) }] }));
  await mkdir(join(cwd, "help"));
  await writeFile(join(cwd, "help", "a.md"), `# A\n${"x".repeat(2000)}`);
  await writeFile(config, "storage: 'memory:'\nnews: { max_bytes: 1024, help: { en: help.json, zh: help } }\n");
  const { code, stderr } = await anp(["serve", "--config", config, "--port", "0"], { cwd });
  expect(stderr).toContain("news.help.en: help.json has 2036 bytes, more than news.max_bytes (1024)");
  expect(stderr).toContain("news.help.zh: help has more than 1024 bytes");
  expect(code).toBe(2);
});

it("starts with a damaged batch of events of an earlier day, leaves it out, and names it", async () => {
  const cwd = await newFolder();
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await mkdir(join(cwd, `data/events/${day}/0`), { recursive: true });
  await writeFile(join(cwd, `data/events/${day}/0/1.json`), "{");
  const daemon = await startHere(cwd, ["--storage", "fs:data"]);
  expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${daemon.url}/api/v1/ai/hot-topics?days=2`)).status).toBe(200);
  await daemon.says(`"key":"events/${day}/0/1"`);
});

it("serves a fixture, and logs JSON alone, without secrets", async () => {
  const cwd = await newFolder();
  const daemon = await start(cwd, SMALL_WORLD);
  const { url } = daemon;
  const answer = await call(url, "chat/send", { question: "提现手续费是多少？" });
  expect(answer.status).toBe(200);
  expect((await call(url, "no-such-thing")).status).toBe(404);
  expect((await call(url, "hot-topics")).status).toBe(200);

  const { code, stdout, stderr } = await daemon.end("SIGTERM");
  expect([code, stdout]).toEqual([0, ""]);
  const logged = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { msg: string });
  const started = { msg: `anp listens on ${url} with fs:.anp/small`, pages: [`${url}/`, `${url}/docs`] };
  expect(logged.filter(({ msg }) => msg.includes("listen"))).toMatchObject([started]);
  expect(logged.map(({ msg }) => msg)).toEqual(
    expect.arrayContaining(["news refreshed", "request", "draining", "stopped"]),
  );
  expect(stderr).not.toMatch(/demo-token|提现/);
});

it("reads many sources at once, and logs JSON alone", async () => {
  const cwd = await newFolder();
  const many = Array.from({ length: 20 }, (_, n) => `s${n}`);
  const sources = many.map((id) => ({ id, name: id, lang: "en", url: `${id}.json` }));
  await writeFile(join(cwd, "anp.yaml"), JSON.stringify({ news: { sources } }));
  const feed = (title: string): object => ({
    version: "https://jsonfeed.org/version/1.1",
    items: [{ id: title, title }],
  });
  await Promise.all(many.map((id) => writeFile(join(cwd, `${id}.json`), JSON.stringify(feed(`Ferry ${id} returns`)))));
  const daemon = await start(cwd, ["--config", "anp.yaml", "--storage", "memory:"]);
  await daemon.says("news refreshed");
  const { stderr } = await daemon.end("SIGTERM");
  expect(stderr.split("\n").filter((line) => !/^(\{.*\})?$/.test(line))).toEqual([]);
});

it("shares one storage with commands that run meanwhile, and with a second daemon", async () => {
  const cwd = await newFolder();
  const [one, two] = await Promise.all([start(cwd, SMALL_WORLD), startHere(cwd, SMALL_WORLD)]);
  const before = Number((await call(one.url, "points")).data["balance"]);
  expect(before).toBe(100_000);
  const results = await Promise.all([
    anp(["exchange", "demo", "1", "--yes", ...SMALL_WORLD], { cwd }),
    anp(["points", "adjust", "demo", "5", "--reason", "x", "--yes", ...SMALL_WORLD], { cwd }),
    anp(["ask", "提现手续费是多少？", "--user", "demo", ...SMALL_WORLD], { cwd }),
    ...[one, two, one, two].map(({ url }) => call(url, "points/exchange", { token_amount: 1 })),
  ]);
  for (const result of results)
    expect("code" in result ? result.code : result.status - 200, JSON.stringify(result)).toBe(0);
  const { data } = await call(two.url, "points");
  expect(data).toMatchObject({ balance: before + 10 + 5 + 40, free_daily_used: 1 });
  expect((await call(one.url, "points")).data).toEqual(data);
  const verified = await anp(["ledger", "verify", "demo", ...SMALL_WORLD], { cwd });
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining(`demo\t8\t${before + 55}\tok`)]);
});

it("keeps every change of processes that run at once, also when all of them load the fixture first", async () => {
  const cwd = await newFolder();
  const exchange = ["exchange", "alice", "1", "--yes", ...SMALL_WORLD];
  const results = await Promise.all([spawnAnp(exchange, { cwd }), spawnAnp(exchange, { cwd }), anp(exchange, { cwd })]);
  for (const { code, stderr } of results)
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^(The fixture .* is not loaded yet: .*\n)?$/)]);
  const { stdout } = await anp(["ledger", "verify", ...SMALL_WORLD], { cwd });
  expect(stdout).toBe(
    "user_id\tentries\tbalance\tstate\tfault_entry\tfault\n" +
      "alice\t3\t30\tok\t\t\nbob\t0\t0\tok\t\t\ncarol\t1\t1000\tok\t\t\ndemo\t1\t100000\tok\t\t\n",
  );
});

it("says in one line why it cannot listen, and exits 1", async () => {
  const cwd = await newFolder();
  const busy = createServer();
  await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
  const { port } = busy.address() as AddressInfo;
  const at = (...more: string[]): Promise<Ended> =>
    anp(["serve", "--storage", "memory:", "--log-level", "error", ...more], { cwd });
  // An address that is kept for documents: no machine has it.
  const withPort = (variable: string): Promise<Ended> =>
    anp(["serve", "--storage", "fs:data", "--port", "0"], { cwd, env: { [variable]: String(port) } });
  const ended = await Promise.all([
    at("--port", String(port)),
    at("--host", "192.0.2.1", "--port", "0"),
    withPort("ANP_ADMIN_PORT"),
    withPort("ANP_METRICS_PORT"),
  ]);
  expect(await readdir(cwd)).toEqual([]);
  await new Promise((resolve) => busy.close(resolve));
  expect(ended.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual([
    [1, "", `error: 127.0.0.1:${port} is in use by another program. Use another port: --port, or server.port.\n`],
    [
      1,
      "",
      "error: Cannot listen on 192.0.2.1:0 (server.host, server.port): 192.0.2.1 is not an address of this machine\n",
    ],
    [1, "", `error: 127.0.0.1:${port} is in use by another program. Use another port: admin.port.\n`],
    [1, "", `error: 127.0.0.1:${port} is in use by another program. Use another port: metrics.port.\n`],
  ]);
});

/** A model that answers on demand. */
async function slowModel(): Promise<{
  env: NodeJS.ProcessEnv;
  asked: Promise<void>;
  answer: () => void;
  close: () => Promise<void>;
}> {
  const waiting: ServerResponse[] = [];
  let onAsked: () => void;
  const asked = new Promise<void>((resolve) => (onAsked = resolve));
  const server = createServer((_request, response) => {
    waiting.push(response);
    onAsked();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const message = { role: "assistant", content: "提现手续费按币种和网络收取固定数量 [1]。" };
  const completion = {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  return {
    env: { ANP_MODEL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, ANP_MODEL_MODEL: "m" },
    asked,
    answer() {
      for (const response of waiting) {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(completion));
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it("computes in threads, finishes what runs after SIGTERM, takes nothing new, and exits 0", async () => {
  const model = await slowModel();
  const threads = new Set<Worker>();
  const note = (thread: Worker): unknown => threads.add(thread);
  process.on("worker", note);
  const daemon = await startHere(await newFolder(), IN_MEMORY, { env: model.env, threads: true });
  // The first question may find a machine too busy to start the assistant in time.
  await call(daemon.url, "chat/send", { question: "你好" });
  const running = call(daemon.url, "chat/send", { question: "提现手续费是多少？" });
  await model.asked;
  const ended = daemon.end();
  await daemon.says('"msg":"draining"');
  // A connection that is still open may be answered until the daemon closes it.
  await until("nothing new is taken", () =>
    fetch(`${daemon.url}/healthz`).then(
      (response) => !response,
      () => true,
    ),
  );
  model.answer();
  expect(await running).toMatchObject({ status: 200, data: { answer: expect.stringContaining("固定数量") as string } });
  expect((await ended).code).toBe(0);
  process.off("worker", note);
  expect(threads.size).toBe(2);
  await model.close();
});

it("stops while a feed keeps it waiting", async () => {
  let onAsked: () => void;
  const asked = new Promise<void>((resolve) => (onAsked = resolve));
  const feed = createServer(() => {
    onAsked();
  });
  await new Promise<void>((resolve) => feed.listen(0, "127.0.0.1", resolve));
  const { port } = feed.address() as AddressInfo;
  const cwd = await newFolder();
  const source = `{ id: slow, name: Slow, lang: en, allow_private: true, url: "http://127.0.0.1:${port}/" }`;
  await writeFile(join(cwd, "anp.yaml"), `news: { timeout_ms: 300000, sources: [${source}] }`);
  const { child, ended } = spawnDaemon(["--config", "anp.yaml", "--storage", "memory:"], { cwd });
  await asked;
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, stdout: "" });
  feed.closeAllConnections();
  await new Promise((resolve) => feed.close(resolve));
});

it("finishes what runs after SIGHUP, as a closed terminal sends it, and exits 0", async () => {
  const model = await slowModel();
  const daemon = await start(await newFolder(), IN_MEMORY, model.env);
  const running = call(daemon.url, "chat/send", { question: "提现手续费是多少？" });
  await model.asked;
  const ended = daemon.end("SIGHUP");
  await daemon.says('"signal":"SIGHUP"');
  model.answer();
  expect((await running).status).toBe(200);
  expect((await ended).code).toBe(0);
  await model.close();
});

it("ends at once at the second signal", async () => {
  const model = await slowModel();
  const daemon = await start(await newFolder(), IN_MEMORY, model.env);
  const running = call(daemon.url, "chat/send", { question: "提现手续费是多少？" }).catch(() => "cut");
  await model.asked;
  daemon.child.kill("SIGTERM");
  await daemon.says('"msg":"draining"');
  expect((await daemon.end("SIGINT")).code).toBe(130);
  expect(await running).toBe("cut");
  await model.close();
});

it("ends on a signal although nobody reads its log any more", async () => {
  const daemon = await start(await newFolder(), ["--storage", "memory:"]);
  daemon.child.stderr!.destroy();
  expect((await daemon.end("SIGTERM")).code).toBe(0);
});

it("goes on when its log cannot be written, and ends on a signal", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const full = await open("/dev/full", "w");
  const options = { cwd: await newFolder() };
  const daemon = spawnDaemon(["--storage", "memory:", "--port", new URL(url).port], options, full.fd);
  const answers = (): Promise<boolean> => fetch(`${url}/readyz`).then(({ ok }) => ok);
  await until("it answered", () => answers().catch(() => false));
  expect((await fetch(`${url}/api/v1/ai/me`)).status).toBe(401);
  expect((await daemon.end("SIGTERM")).code).toBe(0);
  await full.close();
});
