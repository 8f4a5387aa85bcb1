import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readSeries, type Series } from "../http/scrape.ts";
import { makeCertificates } from "../support/certificates.ts";
import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { anp, serveHere, type DaemonHere } from "./anp.ts";
import { SMALL_WORLD } from "../support/program.ts";

const undo: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function newFolder(): Promise<string> {
  const folder = await temporaryFolder();
  undo.push(folder.remove);
  return folder.path;
}

async function start(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd?: string): Promise<DaemonHere> {
  const daemon = await serveHere(args, { cwd: cwd ?? (await newFolder()), env });
  undo.push(() => daemon.end());
  return daemon;
}

const status = async (url: string, token?: string): Promise<number> => {
  const response = await fetch(url, token === undefined ? {} : { headers: { "x-user-token": token } });
  await response.text();
  return response.status;
};

async function scrape(url: string): Promise<Series> {
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
  return readSeries(await response.text());
}

/** The JSON lines of a log. */
function linesOf(log: string): Record<string, unknown>[] {
  return log
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("a daemon", () => {
  it("serves its metrics beside the API, or on a port of their own alone", async () => {
    const [beside, apart] = await Promise.all([
      start([...SMALL_WORLD, "--storage", "memory:"]),
      start([...SMALL_WORLD, "--storage", "memory:"], { ANP_METRICS_PORT: "0" }),
    ]);
    expect(await status(`${beside.url}/api/v1/ai/me`, "alice-token")).toBe(200);
    const series = await scrape(beside.url);
    expect(series.get('anp_http_requests_total{operation="getMe",status="200",code="0"}')).toBe(1);
    expect(series.get('anp_points_in_total{type="adjust"}')).toBe(101_000);
    expect(series.get("anp_storage_up")).toBe(1);
    expect(series.get("anp_news_refresh_age_seconds")).toBeLessThan(60);

    expect(await status(`${apart.url}/metrics`)).toBe(404);
    const own = String(linesOf(apart.log()).find(({ metrics }) => metrics !== undefined)?.["metrics"]);
    expect((await scrape(own)).get("anp_storage_up")).toBe(1);
    expect(await status(`${own}/api/v1/ai/me`, "alice-token")).toBe(404);
  });

  it("goes on answering with /readyz at 503 for drain_delay_ms after SIGTERM, logs what it cuts, and exits 0", async () => {
    const { url, end } = await start(
      [...SMALL_WORLD, "--storage", "memory:", "--fault", "answers=slow,ms=60000,times=1", "--log-level", "info"],
      { ANP_SERVER_DRAIN_DELAY_MS: "3000", ANP_SERVER_DRAIN_MS: "50" },
    );
    const slow = status(`${url}/api/v1/ai/points`, "alice-token").catch(() => "cut");
    await until("it runs", async () => (await scrape(url)).get("anp_http_requests_in_flight") === 1);
    expect(await status(`${url}/readyz`)).toBe(200);
    const ended = end();
    await until("it is not ready", async () => (await status(`${url}/readyz`)) === 503);
    const during = await fetch(`${url}/api/v1/ai/me`, { headers: { "x-user-token": "alice-token" } });
    expect([during.status, during.headers.get("connection")]).toEqual([200, "close"]);
    expect((await scrape(url)).get("anp_draining")).toBe(1);
    expect(await slow).toBe("cut");
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(linesOf(stderr).slice(-3)).toMatchObject([
      { msg: "draining" },
      { level: "warn", msg: "requests were cut: they ran longer than drain_ms", requests: 1, drain_ms: 50 },
      { msg: "stopped" },
    ]);
  });

  it("logs a lost storage in one line, and that it is back, however many requests fail meanwhile", async () => {
    const cwd = await newFolder();
    const data = join(cwd, "data");
    const { url, log } = await start([...SMALL_WORLD, "--storage", "fs:data", "--log-level", "info"], {}, cwd);
    expect(await status(`${url}/api/v1/ai/me`, "alice-token")).toBe(200);
    await rename(data, `${data}.away`);
    await writeFile(data, "");
    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, n) => {
        const response = await fetch(`${url}/api/v1/ai/${n % 2 === 0 ? "me" : "points"}`, {
          headers: { "x-user-token": n % 3 === 0 ? "bob-token" : "alice-token" },
        });
        return [response.status, response.headers.get("retry-after"), await response.text()] as const;
      }),
    );
    for (const [code, retry, text] of answers) {
      expect([code, retry]).toEqual([503, "2"]);
      // The request's id is any letters.
      expect(text.replace(/"request_id":"\w+"/, "")).not.toMatch(/ENOTDIR|data|fs:/);
    }
    // The result of a probe is used for a second.
    await until("it is not ready", async () => (await status(`${url}/readyz`)) === 503);
    expect(await status(`${url}/healthz`)).toBe(200);
    expect(await status(`${url}/api/v1/ai/hot-topics`, "nobody")).toBe(200);
    await until("the metric shows it", async () => (await scrape(url)).get("anp_storage_up") === 0);
    await rm(data);
    await rename(`${data}.away`, data);
    await until("it is known to be back", async () => (await scrape(url)).get("anp_storage_up") === 1);
    expect(await status(`${url}/api/v1/ai/me`, "alice-token")).toBe(200);
    await until("that is logged", () => log().includes("the storage is back"));
    const logged = linesOf(log()).filter(({ level, msg }) => level !== "info" || String(msg).includes("storage"));
    const messages = logged.map(({ msg }) => String(msg));
    expect(messages.filter((msg) => msg === "the storage is lost")).toHaveLength(1);
    expect(messages.filter((msg) => msg === "the storage is back")).toHaveLength(1);
    expect(messages.length, messages.join("\n")).toBeLessThan(8);
    const lost = logged.find(({ msg }) => msg === "the storage is lost");
    expect(JSON.stringify(lost)).toContain("ENOTDIR");
  });

  it("logs neither tokens nor what is asked, at any level, whatever fails", async () => {
    const question = "Why did my withdrawal to bc1qxy2kgdygjrsq fail yesterday?";
    // A model's endpoint that repeats all it was sent.
    const echo = createServer((asked, answer) => {
      let body = "";
      asked.on("data", (chunk: Buffer) => (body += chunk.toString()));
      asked.on("end", () => {
        answer.writeHead(500, { "content-type": "application/json" });
        answer.end(JSON.stringify({ error: { message: `cannot answer ${body}`, type: "server_error" } }));
      });
    });
    await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
    undo.push(() => new Promise((resolve) => echo.close(resolve)));
    const { url, log, end } = await start([...SMALL_WORLD, "--storage", "memory:", "--log-level", "debug"], {
      ANP_MODEL_BASE_URL: `http://127.0.0.1:${(echo.address() as AddressInfo).port}/v1`,
      ANP_MODEL_MODEL: "m",
      ANP_MODEL_API_KEY: "sk-model-secret-key",
      ANP_MODEL_MAX_RETRIES: "0",
      ANP_AUTH_JWT_SECRET: "platform-secret-of-32-characters-or-more",
    });
    const send = async (token: string, body: string, path = "chat/send"): Promise<number> => {
      const headers = { "x-user-token": token, "content-type": "application/json", "idempotency-key": "key-1" };
      const response = await fetch(`${url}/api/v1/ai/${path}?q=${encodeURIComponent(question)}`, {
        method: "POST",
        headers,
        body,
      });
      await response.text();
      return response.status;
    };
    expect(await send("demo-token", JSON.stringify({ question }))).toBe(502);
    expect(await send("demo-token", JSON.stringify({ question, session_id: 0 }))).toBe(422);
    expect(await send("demo-token", `{"question": "${question}`)).toBe(422);
    expect(await send("nobody-secret-token", JSON.stringify({ question }))).toBe(401);
    expect(await send("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl", JSON.stringify({ question }))).toBe(401);
    expect(await send("demo-token", JSON.stringify({ event_type: "x", event_payload: { question } }), "events")).toBe(
      422,
    );
    await end();
    const lines = linesOf(log());
    expect(lines.some(({ msg }) => msg === "the model call failed")).toBe(true);
    expect(lines.filter(({ msg }) => msg === "request").length).toBeGreaterThanOrEqual(6);
    for (const { msg, request_id } of lines) if (msg === "request") expect(request_id).toMatch(/^[\w-]+$/);
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    for (const secret of [
      "demo-token",
      "nobody-secret",
      "eyJhbG",
      "bc1qxy2k",
      "withdrawal to",
      "sk-model",
      "platform-secret",
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  it.skipIf(noRedis !== undefined)(
    "serves HTTPS with a certificate, and says in one line what is wrong with one",
    async () => {
      const certificates = await makeCertificates();
      undo.push(() => certificates.remove());
      const { caFile, certFile, keyFile } = certificates;
      const cwd = await newFolder();
      await writeFile(join(cwd, "anp.yaml"), `server: { tls: { cert_file: ${certFile}, key_file: ${keyFile} } }\n`);
      const { url, end } = await start(["--config", "anp.yaml", "--storage", "memory:"], {}, cwd);
      expect(url).toMatch(/^https:\/\/127\.0\.0\.1:/);
      const agent = new Agent({ ca: await readFile(caFile) });
      const answered = await new Promise<number | undefined>((resolve, reject) => {
        request(`${url}/readyz`, { agent }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on("error", reject)
          .end();
      });
      agent.destroy();
      expect(answered).toBe(200);
      await expect(fetch(`${url.replace("https", "http")}/readyz`)).rejects.toThrow();
      expect((await end()).code).toBe(0);

      for (const [cert_file, key_file, says] of [
        [certFile, caFile, `key_file: the file ${caFile} holds no private key (PEM, without a passphrase)`],
        [join(cwd, "none.crt"), keyFile, `cert_file: the file ${join(cwd, "none.crt")} does not exist`],
        [caFile, keyFile, `key_file: the private key in ${keyFile} is not that of the certificate in ${caFile}`],
      ]) {
        await writeFile(join(cwd, "bad.yaml"), `server: { tls: { cert_file: ${cert_file}, key_file: ${key_file} } }\n`);
        const bad = await anp(["serve", "--config", "bad.yaml", "--storage", "memory:", "--log-level", "error"], {
          cwd,
        });
        expect([bad.code, bad.stderr]).toEqual([2, `error: server.tls.${says}\n`]);
      }
    },
  );

  it.skipIf(noRedis !== undefined)("shares rate limits with other daemons on one Redis", async () => {
    const redis = await startRedis();
    undo.push(() => redis.stop());
    const env = {
      ANP_STORAGE: redis.url(),
      ANP_LIMITS_STORE: "auto",
      ANP_LIMITS_RATES_ACCOUNT_REQUESTS: "3",
      ANP_LIMITS_RATES_ACCOUNT_WINDOW_S: "3600",
    };
    const one = await start([...SMALL_WORLD], env);
    const two = await start([...SMALL_WORLD], env);
    const codes: number[] = [];
    for (const { url } of [one, two, one, two, one]) codes.push(await status(`${url}/api/v1/ai/me`, "alice-token"));
    expect(codes).toEqual([200, 200, 200, 429, 429]);
    expect(await status(`${two.url}/api/v1/ai/me`, "carol-token")).toBe(200);
    expect(await status(`${two.url}/api/v1/news/hot`)).toBe(200);
  });
});
