import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createTokens, type Tokens } from "../../src/accounts/tokens.ts";
import { createEvents, type Events } from "../../src/events/events.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { createIds } from "../../src/runtime/ids.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { systemRandom } from "../../src/runtime/random.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { anp, serveHere, type DaemonHere } from "../cli/anp.ts";
import { startDaemon, type Daemon } from "../support/daemon.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { SHARED_STORAGES, type SharedStorage } from "./shared-storages.ts";
import { SMALL_WORLD } from "../support/program.ts";
import { eventAt } from "../events/open-events.ts";

/** How long a daemon may go on to accept a token that another one revoked, ms. */
const REVOKED_WITHIN_MS = 2000;

interface Answer {
  readonly status: number;
  readonly data: Record<string, unknown>;
}

type Target = Pick<Daemon, "url">;

/** One call; a daemon that says to come again, as it may on a busy machine, is asked again. */
async function call(daemon: Target, path: string, token: string, body?: object): Promise<Answer> {
  return until("the daemon answered in time", async () => {
    const answer = await callOnce(daemon, path, token, body);
    return [502, 503].includes(answer.status) ? undefined : answer;
  });
}

async function callOnce({ url }: Target, path: string, token: string, body?: object): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/ai/${path}`, {
    headers: { "x-user-token": token, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  const { data = {} } = (await response.json()) as { data?: Record<string, unknown> };
  return { status: response.status, data };
}

describe.each(SHARED_STORAGES)("three daemons on $name", ({ open }) => {
  let shared: SharedStorage;
  let folder: { path: string; remove: () => Promise<void> };
  /** Processes that a test stops or kills, and one that it does not. */
  let asleep: Daemon;
  let here: DaemonHere;
  let doomed: Daemon;
  let daemons: Target[] = [];
  let storage: Storage;
  let tokens: Tokens;
  let events: Events;

  beforeAll(async () => {
    shared = await open();
    folder = await temporaryFolder();
    const args = [...SMALL_WORLD, "--storage", shared.url];
    const start = (): Promise<Daemon> => startDaemon([...args, "--log-level", "warn"]);
    [asleep, here, doomed] = await Promise.all([start(), serveHere(args, { cwd: folder.path }), start()]);
    daemons = [asleep, here, doomed];
    storage = await openStorage(shared.url);
    tokens = createTokens({ storage, clock: systemClock, random: systemRandom, ttl_ms: 0 });
    const ids = createIds(systemClock, systemRandom);
    events = createEvents({ storage, clock: systemClock, ids, logger: silentLogger });
  });

  afterAll(async () => {
    await Promise.all([asleep.end("SIGKILL"), here.end(), doomed.end("SIGKILL")]);
    await storage.close();
    await folder.remove();
    await shared.remove();
  });

  async function logged(): Promise<{ event_id: string; user_id: string }[]> {
    const found: { event_id: string; user_id: string }[] = [];
    for await (const line of events.export()) found.push(JSON.parse(line) as (typeof found)[number]);
    return found;
  }

  it("that load a fixture at once load it once", async () => {
    for (const daemon of daemons) {
      expect((await call(daemon, "points", "demo-token")).data).toMatchObject({ balance: 100_000 });
      expect((await call(daemon, "points/ledger", "carol-token")).data).toMatchObject({ total: 1 });
    }
    expect((await logged()).filter(({ event_id }) => event_id.startsWith("demo-"))).toHaveLength(20);
    const verified = await anp(["ledger", "verify", "--all", "--storage", shared.url], { cwd: folder.path });
    expect([verified.code, verified.stderr]).toEqual([0, ""]);
  });

  it("know a user whom one of several processes created, and no other could", async () => {
    const create = ["users", "create", "dora", "--storage", shared.url];
    const ended = await Promise.all([1, 2, 3].map(() => anp(create, { cwd: folder.path })));
    expect(ended.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
    const issued = await Promise.all(daemons.map(() => tokens.issue("dora")));
    for (const [index, { secret }] of issued.entries()) {
      expect((await call(daemons[(index + 1) % 3]!, "me", secret)).data).toMatchObject({ user_id: "dora" });
    }
  });

  it("accept a token once it is issued, and refuse it within 2 s of its revocation, also after a stop", async () => {
    const { secret, record } = await tokens.issue("alice");
    for (const daemon of daemons) expect((await call(daemon, "me", secret)).status).toBe(200);
    const awake = daemons.slice(1);
    asleep.child.kill("SIGSTOP");
    onTestFinished(() => void asleep.child.kill("SIGCONT"));
    expect(await tokens.revoke(record.id)).toBeDefined();
    const revoked = performance.now();
    const late = call(asleep, "me", secret);
    await Promise.all(
      awake.map(async (daemon) => {
        await until("it refuses the token", async () => {
          const asked = performance.now();
          const { status } = await call(daemon, "me", secret);
          if (status !== 401) expect(asked - revoked).toBeLessThan(REVOKED_WITHIN_MS);
          return status === 401;
        });
        expect((await call(daemon, "me", secret)).status).toBe(401);
      }),
    );
    await until("the stop was longer than the bound", () => performance.now() - revoked > REVOKED_WITHIN_MS);
    asleep.child.kill("SIGCONT");
    expect((await late).status).toBe(401);
  });

  it("count each question once, on all of them", async () => {
    const question = "How much is the withdrawal fee?";
    const ask = (index: number, user: string): Promise<Answer> =>
      call(daemons[index]!, "chat/send", `${user}-token`, { question });
    const asked = await Promise.all([ask(0, "demo"), ask(1, "alice"), ask(2, "carol"), ask(0, "demo")]);
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const counts = async (daemon: Target): Promise<number | undefined> => {
      const { data } = await call(daemon, "hot-topics?days=1&limit=50", "demo-token");
      const hot = data["user_hot_questions"] as { question: string; count: number }[];
      return hot.find((one) => one.question === question)?.count;
    };
    for (const daemon of daemons) await until("it counts four", async () => (await counts(daemon)) === 4);
    expect((await ask(1, "demo")).status).toBe(200);
    for (const daemon of daemons) await until("it counts five", async () => (await counts(daemon)) === 5);
  });

  it("keep every event that one of them stored, though one is killed meanwhile", async () => {
    const stored: { event_id: unknown; event_type: string }[] = [];
    let sent = 0;
    await Promise.all(
      daemons.flatMap((daemon) =>
        Array.from({ length: 4 }, async () => {
          for (let n = 0; n < 10; n++) {
            const event_type = `together.${sent++}`;
            try {
              const body = { event_type, feedback_type: "helpful", route: "together" };
              const { data } = await call(daemon, "events", "demo-token", body);
              expect(data).toMatchObject({ accepted: true, stored: true });
              stored.push({ event_id: data["event_id"], event_type });
            } catch (error) {
              if (daemon !== doomed || !(error instanceof TypeError)) throw error;
              return;
            }
            if (stored.length === 40) doomed.child.kill("SIGKILL");
          }
        }),
      ),
    );
    expect(stored.length).toBeGreaterThanOrEqual(80);
    for (const { event_id, event_type } of stored) {
      expect(await eventAt(storage, String(event_id))).toMatchObject({ event_type });
    }
    const types = (await logged()).map((event) => (event as { event_type?: string }).event_type ?? "");
    const own = types.filter((type) => type.startsWith("together."));
    expect(new Set(own).size).toBe(own.length);
    const { by_type } = await events.stats();
    expect(by_type.filter(({ event_type }) => event_type.startsWith("together."))).toHaveLength(own.length);
  });
});
