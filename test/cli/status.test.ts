import { EventEmitter } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DaemonStatus } from "../../src/client/daemon-status.ts";
import { temporaryFolder } from "../support/folder.ts";
import { noTerminal } from "../support/terminal.ts";
import { anp, spawnInTerminal, serveHere, type DaemonHere } from "./anp.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let cwd: string;
let daemon: DaemonHere;
const cleanup: (() => unknown)[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  cwd = folder.path;
  daemon = await serveHere(["--storage", "memory:"], { cwd });
});

afterAll(async () => {
  for (const undo of cleanup) await undo();
  await daemon.end();
  await folder.remove();
});

/** A server on the loopback that answers like a daemon's pages; gives its URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const status = (...args: string[]) => anp(["status", ...args], { cwd });

describe("anp status", () => {
  it("reports a running daemon in one JSON document, on one line, and on a screen", async () => {
    await fetch(`${daemon.url}/api/v1/news/hot`);
    await fetch(`${daemon.url}/api/v1/ai/me`);
    const { code, stdout, stderr } = await status("--url", daemon.url, "--json");
    expect([code, stderr]).toEqual([0, ""]);
    const found = JSON.parse(stdout) as DaemonStatus;
    expect(found).toMatchObject({
      url: daemon.url,
      state: "ready",
      reason: null,
      metrics_url: `${daemon.url}/metrics`,
      metrics_error: null,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      figures: {
        storage_up: 1,
        storage_risks: 1,
        news_items: 0,
        // The first refresh may have ended by then.
        news_age_seconds: expect.toSatisfy((age) => age === null || Number(age) >= 0) as unknown,
        worker_restarts: 0,
      },
      breakers: [],
    });
    expect(found.figures!.memory_bytes).toBeGreaterThan(1e6);
    const calls = new Map(found.latencies.map(({ operation, ...latency }) => [operation, latency]));
    for (const operation of ["getNewsHot", "getMe"]) {
      const { count, p50_ms, p99_ms } = calls.get(operation)!;
      expect([operation, count, p50_ms > 0, p99_ms >= p50_ms]).toEqual([operation, 1, true, true]);
    }

    const [head = "", line = ""] = (await status("--url", daemon.url)).stdout.split("\n");
    const row = Object.fromEntries(head.split("\t").map((name, at) => [name, line.split("\t")[at]]));
    expect(row).toMatchObject({ state: "ready", version: found.version, storage_up: "1", shed: "0", points_in: "0" });
    // The process that runs this test is the daemon's.
    expect(Math.abs(Number(row["uptime_seconds"]) - process.uptime())).toBeLessThan(30);

    const screen = (await status("--url", daemon.url, "--format", "table")).stdout;
    expect(screen).toMatch(
      /^daemon {6}\S+: ready\nversion {5}\d+\.\d+\.\d+, up \d+ (?:s|min|h), \d+ MB of memory\nstorage {5}up; /,
    );
    expect(screen).toMatch(/\nnews {8}items 0, refreshed (?:never|\d.*), sources failing 0 of 0\n/);
    expect(screen).toMatch(/\nOPERATION +COUNT +P50 MS +P99 MS\n/);
  });

  it("finds the daemon of the configuration, with metrics on a port of their own, and says where there are none", async () => {
    const own = await serveHere(["--storage", "memory:"], { cwd, env: { ANP_METRICS_PORT: "0" } });
    cleanup.push(() => own.end());
    const without = JSON.parse((await status("--url", own.url, "--json")).stdout) as DaemonStatus;
    expect(without).toMatchObject({
      state: "ready",
      metrics_error: `${own.url}/metrics answers 404.`,
      version: null,
      figures: null,
      latencies: [],
    });
    expect((await status("--url", own.url, "--format", "table")).stdout).toBe(
      `daemon   ${own.url}: ready\nmetrics  ${own.url}/metrics answers 404. Are they off, or on a port of their own (--metrics-url)?\n`,
    );
    expect((await status("--url", own.url)).stderr).toBe(
      `${own.url}/metrics answers 404. Are they off, or on a port of their own (--metrics-url)?\n`,
    );
    const env = { ANP_SERVER_PORT: new URL(own.url).port, ANP_METRICS_PORT: new URL(daemon.url).port };
    const configured = await anp(["status", "--json"], { cwd, env });
    expect(JSON.parse(configured.stdout)).toMatchObject({
      url: own.url,
      metrics_url: `${daemon.url}/metrics`,
      figures: { storage_up: 1 },
    });
    const named = await status("--url", own.url, "--metrics-url", `${daemon.url}/metrics`, "--json");
    expect(JSON.parse(named.stdout)).toMatchObject({ metrics_error: null, figures: { storage_up: 1 } });
  });

  it("exits 1 when it is not ready, with the reason, and 6 when no daemon answers", async () => {
    const unready = await serve(({ url }, response) => {
      if (url === "/readyz") response.writeHead(503).end("not ready: draining\u001b[31m\n");
      else if (url === "/healthz") response.end("ok\n");
      else response.end('anp_build_info{version="9\u001b]0;x\u0007"} 1\nanp_news_source_up{source="a\\"b"} 0\n{{{ \n');
    });
    const found = await status("--url", unready, "--format", "table");
    expect([found.code, found.stderr]).toEqual([1, `error: ${unready} is not ready: draining\u001b[31m\n`]);
    expect(found.stdout).toContain(`daemon      ${unready}: not ready (draining[31m)\nversion     9]0;x, up`);
    expect(found.stdout).toContain('of 1: a"b\n');

    const other = await serve((_request, response) => response.end("hello"));
    expect(await status("--url", other)).toMatchObject({ code: 6, stderr: `error: ${other}/readyz answers 200.\n` });
    const gone = await status("--url", "http://127.0.0.1:1", "--json");
    expect([gone.code, JSON.parse(gone.stdout)]).toMatchObject([6, { state: "unreachable", figures: null }]);
    expect(gone.stderr).toBe("error: http://127.0.0.1:1 cannot be reached: nothing listens there.\n");
    const alive = await serve(
      ({ url }, response) => void (url === "/healthz" ? response.end("ok\n") : response.destroy()),
    );
    expect(await status("--url", alive)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not ready: ") as string,
    });
  });

  it("prints a line a reading while it watches, also of a daemon that is not there, until it is interrupted", async () => {
    const signals = new EventEmitter();
    let reads = 0;
    const url = await serve(({ url: path }, response) => {
      if (path === "/readyz" && ++reads === 2) signals.emit("SIGINT", "SIGINT");
      response.writeHead(reads === 1 ? 500 : 200).end(path === "/readyz" ? "ready\n" : "ok\n");
    });
    const args = ["status", "--watch", "--interval", "1s", "--url", url];
    const watched = await anp([...args, "--format", "jsonl"], { cwd, signals });
    const states = watched.stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as DaemonStatus).state);
    expect([watched.code, states]).toEqual([130, ["unreachable", "ready"]]);
    expect((await anp([...args, "--json"], { cwd })).stderr).toContain("--watch never ends: use --format jsonl");
    expect((await anp([...args.slice(0, -3), "5", "--url", url], { cwd })).stderr).toContain(
      'error: --interval must be a time from 1s to 1h, as 2s or 1m, not "5".',
    );
  });

  it.skipIf(noTerminal !== undefined)("redraws a terminal", async () => {
    const { code, screen } = await spawnInTerminal(["status", "--watch", "--url", daemon.url, "--no-color"], {
      cwd,
      steps: [{ on: "OPERATION", type: "\u0003" }],
    });
    expect(code).toBe(130);
    expect(screen).toContain(`\u001b[H\u001b[2Jdaemon      ${daemon.url}: ready\nversion`);
  });
});
