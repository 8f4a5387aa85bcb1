import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { replayToDaemon } from "../../src/cli/commands/events/replay-to-daemon.ts";
import { daemonOperations } from "../../src/cli/target/operations.ts";
import { RETRY_POLICY } from "../../src/client/client-retry.ts";
import { listen } from "../../src/daemon/listen.ts";
import { createApp } from "../../src/http/app.ts";
import { createRateLimits } from "../../src/http/limits/rate-limits.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { temporaryFolder } from "../support/folder.ts";
import { serveHere } from "./anp.ts";
import { ANP, cleanEnv, ended, SMALL_WORLD } from "../support/program.ts";
import { openFixtureService } from "../support/service.ts";
import { until } from "../support/until.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const step of undo.splice(0).reverse()) await step();
});

function line(n: number, id = true): string {
  const created_at = "2026-11-19T00:00:00.000Z";
  const event = { created_at, user_id: "alice", event_type: "page_view", event_payload: { n } };
  return JSON.stringify(id ? { event_id: `e-${n}`, ...event } : event);
}

/** Sixty different events, and one without an id that occurs ten times. */
const LINES = Array.from({ length: 70 }, (_, n) => (n % 7 === 6 ? line(1000, false) : line(n)));

async function* linesOf(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  await Promise.resolve();
  yield lines;
}

it("sends as fast as the rate limit allows, and stores each event once, also after an interrupt in a pause", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { service } = await openFixtureService({ fixture: "small", refresh: false });
  undo.push(() => service.close());
  const refused: string[] = [];
  const rates = await createRateLimits({ events: { requests: 20, window_s: 60 } }, undefined, {
    refused: (reason) => void refused.push(reason),
  });
  const { url, stop } = await listen(createApp(service, silentLogger, { rates }), "127.0.0.1", 0);
  undo.push(() => stop(1000));
  const policy = { ...RETRY_POLICY, retry_after_ms: 0 };
  const operations = await daemonOperations({ url, token: "alice-token" }, undefined, policy);
  const before = (await service.events.stats()).events;
  const pauses: number[] = [];
  const pause = async (seconds: number): Promise<void> => {
    pauses.push(seconds);
    vi.advanceTimersByTime(seconds * 1000);
    await Promise.resolve();
  };
  const interrupted = replayToDaemon(operations, linesOf(LINES), {
    dryRun: false,
    chunk: 10,
    pause: () => Promise.reject(new DOMException("SIGINT", "AbortError")),
  });
  await expect(interrupted).rejects.toThrow("SIGINT");
  expect((await service.events.stats()).events - before).toBe(20);

  const again = await replayToDaemon(operations, linesOf(LINES), { dryRun: false, chunk: 10, pause });
  expect(again).toMatchObject({ read: 70, stored: 50, skipped: 20, rejected_total: 0 });
  expect(pauses.length).toBeGreaterThan(2);
  for (const seconds of pauses) expect(seconds).toBe(60);
  // What was under way when the limit was reached, no more.
  expect(refused.length).toBeLessThan(8 * (pauses.length + 1));

  const third = await replayToDaemon(operations, linesOf(LINES), { dryRun: false, pause });
  expect(third).toMatchObject({ read: 70, stored: 0, skipped: 70 });
  expect((await service.events.stats()).events - before).toBe(70);
});

it("ends at SIGINT while it waits for the rate limit", async () => {
  const { path: cwd, remove } = await temporaryFolder();
  undo.push(remove);
  await writeFile(join(cwd, "events.ndjson"), LINES.map((text) => `${text}\n`).join(""));
  const env = { ANP_TOKEN: "alice-token", ANP_LIMITS_RATES_EVENTS_REQUESTS: "30" };
  const daemon = await serveHere([...SMALL_WORLD], { cwd, env });
  undo.push(() => daemon.end());
  const args = [ANP, "events", "replay", "events.ndjson", "--url", daemon.url, "--rate", "100", "--json"];
  const child = spawn(process.execPath, args, { cwd, env: cleanEnv(cwd, env) });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const end = ended(child);
  await until("it waits", () => said.includes("takes no more events"));
  child.kill("SIGINT");
  const { code, stdout, stderr } = await end;
  expect([code, JSON.parse(stdout)]).toEqual([130, expect.objectContaining({ read: 20, stored: 20 })]);
  expect(stderr).toMatch(/The daemon takes no more events for \d+ s\.\n/);
  expect(stderr).toContain("Interrupted after 20 lines. Run the command again for the rest: it stores nothing twice.");
});
