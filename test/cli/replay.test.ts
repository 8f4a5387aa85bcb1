import { EventEmitter } from "node:events";
import { appendFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { noTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";
import { type Ended, SMALL_WORLD } from "../support/program.ts";
import { anp, serveHere, shell, spawnInTerminal } from "./anp.ts";
import { startDaemon } from "../support/daemon.ts";

const HEAD = "read\tstored\tskipped\trejected_total\n";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let cwd: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  cwd = folder.path;
});

afterEach(() => folder.remove());

/** A line of an export. */
function event(n: number, user = "alice"): string {
  return JSON.stringify({
    event_id: `e-${n}`,
    created_at: `2026-11-19T00:00:${String(n % 60).padStart(2, "0")}.000Z`,
    user_id: user,
    event_type: "page_view",
    event_payload: { n },
  });
}

function lines(count: number, from = 0): string {
  return Array.from({ length: count }, (_, n) => `${event(from + n)}\n`).join("");
}

/** The numbers of the events that the storage holds, in order. */
async function stored(): Promise<number[]> {
  const { stdout } = await anp(["events", "export", "--storage", "fs:data"], { cwd });
  const events = stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { event_payload?: { n: number } });
  return events.map(({ event_payload }) => event_payload?.n ?? 0).sort((a, b) => a - b);
}

const first = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Starts a slow replay, stops it by a signal once something is stored, and returns how it ended. */
async function interrupted(args: readonly string[], signal: NodeJS.Signals): Promise<Ended> {
  const batches = async (): Promise<number> => {
    const names = await readdir(join(cwd, "data/events"), { recursive: true }).catch(() => []);
    return names.filter((name) => /\/\d+\.json$/.test(name)).length;
  };
  const before = await batches();
  const signals = new EventEmitter();
  const ended = anp(["events", "replay", ...args], { cwd, signals });
  await until("an event is stored", async () => (await batches()) > before);
  signals.emit(signal, signal);
  return ended;
}

describe("a replay that is interrupted", () => {
  it.for(["SIGINT", "SIGTERM"] as const)(
    "by %s is finished by the same command, which stores nothing twice",
    async (signal) => {
      await writeFile(join(cwd, "events.ndjson"), `nonsense\n${lines(300)}`);
      const args = ["events.ndjson", "--storage", "fs:data", "--rejected", "rejected.ndjson"];
      const ended = await interrupted([...args, "--rate", "20"], signal);
      expect(ended.code).toBe(130);
      const read = Number(/Interrupted after (\d+) lines\. Run the command again/.exec(ended.stderr)?.[1]);
      expect(read).toBeGreaterThan(1);
      expect(read).toBeLessThan(301);
      expect(ended.stdout).toBe(`${HEAD}${read}\t${read - 1}\t0\t1\n`);
      expect(await stored()).toEqual(first(read - 1));
      await appendFile(join(cwd, "events.ndjson"), `[]\n${lines(50, 300)}`);
      const again = await anp(["events", "replay", ...args], { cwd });
      expect([again.code, again.stdout]).toEqual([8, `${HEAD}352\t${351 - read}\t${read - 1}\t2\n`]);
      const rejected = (await readFile(join(cwd, "rejected.ndjson"), "utf8")).trimEnd().split("\n");
      expect(rejected.map((line) => JSON.parse(line) as object)).toMatchObject([
        { line: 1, text: "nonsense", reason: expect.stringContaining("not JSON") as string },
        { line: 302, text: "[]" },
      ]);
      expect(await stored()).toEqual(first(350));
    },
  );
});

describe("a replay", () => {
  it("reads lines with any line end and across chunk borders, and rejects lines that are not text", async () => {
    const long = JSON.stringify({
      ...(JSON.parse(event(2)) as object),
      event_payload: { n: 2, text: "长".repeat(5000) },
    });
    const parts = [
      Buffer.from(`\uFEFF${event(0)}\r\n\n${event(1)}\n`),
      Buffer.from(`${long}\n`.repeat(12)),
      Buffer.concat([Buffer.from(event(3).slice(0, -4)), Buffer.from([0xff]), Buffer.from("\n")]),
      Buffer.from(`"${"x".repeat(3 * 1024 * 1024)}"\n`),
      Buffer.from(event(4)),
    ];
    await writeFile(join(cwd, "events.ndjson"), Buffer.concat(parts));
    const fromFile = await anp(["events", "replay", "events.ndjson", "--storage", "fs:data", "--json"], { cwd });
    const report = {
      read: 17,
      stored: 4,
      skipped: 11,
      rejected_total: 2,
      rejected: [
        { line: 16, reason: "not valid UTF-8" },
        { line: 17, reason: "longer than 1048576 bytes" },
      ],
    };
    expect([fromFile.code, JSON.parse(fromFile.stdout)]).toEqual([8, report]);
    expect(await stored()).toEqual([0, 1, 2, 4]);
    for (const line of [
      "cat events.ndjson | anp events replay - --storage fs:data --json",
      "anp events replay <(cat events.ndjson) --storage fs:data --json",
    ]) {
      const { code, stdout } = await shell(line, cwd);
      expect([code, JSON.parse(stdout)], line).toEqual([8, { ...report, stored: 0, skipped: 15 }]);
    }
  });

  it("lists only the first rejected lines, shows no progress in a pipe, and reads what export writes", async () => {
    await writeFile(join(cwd, "events.ndjson"), `${"{}\n".repeat(150)}${lines(3)}`);
    const { code, stdout, stderr } = await anp(["events", "replay", "events.ndjson", "--storage", "fs:data"], { cwd });
    expect([code, stdout]).toEqual([8, `${HEAD}153\t3\t0\t150\n`]);
    expect(stderr.split("\n")).toHaveLength(23);
    expect(stderr).toMatch(/\nline 20: .*\nand 130 more: --rejected FILE writes all of them\n$/);
    const copied = await shell(
      "anp events export --storage fs:data | anp events replay - --storage fs:copy; anp events export --storage fs:copy",
      cwd,
    );
    expect(copied.stdout).toBe(`${HEAD}3\t3\t0\t0\n${lines(3)}`);
  });

  it("names a damaged batch of the log, with the exit code 8, in an export and in a replay, which stores its events again", async () => {
    await writeFile(join(cwd, "events.ndjson"), lines(3));
    await anp(["events", "replay", "events.ndjson", "--storage", "fs:data"], { cwd });
    await writeFile(join(cwd, "data/events/2026-11-19/0/1.json"), "{");
    const which = expect.stringContaining("The stored value of events/2026-11-19/0/1 is damaged") as string;
    const exported = await anp(["events", "export", "--storage", "fs:data"], { cwd });
    expect([exported.code, exported.stdout, exported.stderr]).toEqual([8, "", which]);
    const replayed = await anp(["events", "replay", "events.ndjson", "--storage", "fs:data"], { cwd });
    expect([replayed.code, replayed.stdout, replayed.stderr]).toEqual([8, `${HEAD}3\t3\t0\t0\n`, which]);
    expect(await stored()).toEqual(first(3));
  });

  it("writes nothing in a dry run", async () => {
    await mkdir(join(cwd, "data"));
    await writeFile(join(cwd, "events.ndjson"), `${lines(5)}${event(0)}\n`);
    const dry = await anp(["events", "replay", "events.ndjson", "--storage", "fs:data", "--dry-run"], { cwd });
    expect([dry.code, dry.stdout, dry.stderr]).toEqual([0, `${HEAD}6\t5\t1\t0\n`, ""]);
    expect(await readdir(join(cwd, "data"))).toEqual([]);
    expect(await readdir(cwd)).toEqual(["data", "events.ndjson"]);
  });

  it.for([
    [["missing.ndjson"], "FILE missing.ndjson cannot be read"],
    [["."], "it is a folder"],
    [["-", "--rate", "0"], "--rate must be an integer from 1"],
    [["-", "--rejected", "no/such/folder"], "--rejected no/such/folder cannot be written"],
  ] as const)("refuses %j", async ([args, says]) => {
    const ended = await anp(["events", "replay", ...args, "--storage", "memory:"], { cwd });
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([2, "", expect.stringContaining(says)]);
  });
});

it("replays through a daemon once, in the name of the token's user, and fails when the daemon is gone", async () => {
  await writeFile(join(cwd, "events.ndjson"), `${lines(15)}${event(1000, "bob")}\nnonsense\n${lines(15, 15)}`);
  const options = { cwd, env: { ANP_TOKEN: "alice-token" } };
  const replay = (url: string, ...more: string[]): Promise<Ended> =>
    anp(["events", "replay", "events.ndjson", "--url", url, ...more], options);
  const count = async (): Promise<number> => {
    const { stdout } = await anp(["events", "export", ...SMALL_WORLD], { cwd });
    return stdout.split("\n").filter((line) => line.includes('"page_view"') && line.includes('"n":')).length;
  };
  const daemon = await serveHere([...SMALL_WORLD], { cwd });
  try {
    const dry = await replay(daemon.url, "--dry-run");
    expect([dry.code, dry.stdout]).toEqual([8, `${HEAD}32\t30\t0\t2\n`]);
    expect(await count()).toBe(0);
    const once = await replay(daemon.url);
    expect([once.code, once.stdout]).toEqual([8, `${HEAD}32\t30\t0\t2\n`]);
    expect(once.stderr).toContain("line 16: user_id: is bob, but the token is alice's\nline 17: not JSON");
    expect(await count()).toBe(30);
    const twice = await replay(daemon.url);
    expect([twice.code, twice.stdout]).toEqual([8, `${HEAD}32\t0\t30\t2\n`]);
    expect(await count()).toBe(30);
  } finally {
    await daemon.end();
  }
  const gone = await replay(daemon.url);
  expect([gone.code, gone.stdout, gone.stderr]).toEqual([6, "", expect.stringContaining("cannot be reached")]);
});

it("is finished by the same command when the daemon fails midway", async () => {
  await writeFile(join(cwd, "events.ndjson"), lines(200));
  const daemon = await startDaemon([...SMALL_WORLD], { cwd });
  const { port } = new URL(daemon.url);
  const options = { cwd, env: { ANP_TOKEN: "alice-token" } };
  const running = anp(["events", "replay", "events.ndjson", "--url", daemon.url, "--rate", "60"], options);
  await until("an event is stored", async () => {
    const keys = await readdir(join(cwd, ".anp/small/users/alice/event-keys")).catch(() => []);
    return keys.length > 20;
  });
  await daemon.end("SIGKILL");
  const failed = await running;
  expect([failed.code, failed.stdout]).toEqual([6, ""]);
  const done = Number(/(\d+) lines are done\. Run the command again for the rest/.exec(failed.stderr)?.[1]);
  expect(done).toBeGreaterThan(0);
  const next = await serveHere([...SMALL_WORLD, "--port", port], { cwd });
  try {
    const again = await anp(["events", "replay", "events.ndjson", "--url", daemon.url, "--json"], options);
    const report = JSON.parse(again.stdout) as { read: number; stored: number; skipped: number };
    expect(again.code).toBe(0);
    expect(report.read).toBe(200);
    expect(report.stored + report.skipped).toBe(200);
    expect(report.skipped).toBeGreaterThanOrEqual(done);
    const { stdout } = await anp(["events", "export", ...SMALL_WORLD], { cwd });
    const numbers = [...stdout.matchAll(/"event_payload":\{"n":(\d+)\}/g)].map((match) => Number(match[1]));
    expect(numbers.sort((a, b) => a - b)).toEqual(first(200));
  } finally {
    await next.end();
  }
});

describe.skipIf(noTerminal !== undefined)("in a terminal", () => {
  it("shows on stderr how far it is, and stops cleanly at Ctrl-C", async () => {
    await writeFile(join(cwd, "events.ndjson"), lines(300));
    const args = ["events", "replay", "events.ndjson", "--storage", "fs:data", "--rate", "20"];
    const stopped = await spawnInTerminal(args, { cwd, steps: [{ on: "events", type: "\u0003" }] });
    expect(stopped.code).toBe(130);
    expect(stopped.screen).toMatch(/\d+ %, \d+ s left, \d+ events, \d+\/s/);
    expect(stopped.screen).toMatch(/Interrupted after \d+ lines/);
    expect((await anp(args.slice(0, -2), { cwd })).code).toBe(0);
    expect(await stored()).toEqual(first(300));
  });
});

it("rejects the events of an erased user, also of one known only from events", async () => {
  const own = { cwd };
  const on = ["--storage", "fs:data"];
  await anp(["users", "create", "alice", ...on], own);
  await writeFile(
    join(cwd, "all.ndjson"),
    `${event(1)}\n${event(2, "bob")}\n${event(3, "carol")}\n${event(4, "bob")}\n`,
  );
  expect((await anp(["events", "replay", "all.ndjson", ...on], own)).code).toBe(0);
  const exported = await anp(["users", "export", "bob", ...on], own);
  expect(JSON.parse(exported.stdout)).toMatchObject({
    profile: null,
    events: [{ user_id: "bob" }, { user_id: "bob" }],
  });
  for (const [user, events] of [
    ["alice", 1],
    ["bob", 2],
  ] as const) {
    const erased = await anp(["users", "erase", user, "--reason", "asked", "--yes", "--json", ...on], own);
    expect([erased.code, erased.stderr]).toEqual([0, ""]);
    expect(JSON.parse(erased.stdout)).toMatchObject({ user_id: user, complete: true, events });
  }
  const again = await anp(["events", "replay", "all.ndjson", ...on], own);
  expect([again.code, again.stdout]).toEqual([8, `${HEAD}4\t0\t1\t3\n`]);
  expect(again.stderr).toMatch(
    /^error: 3 lines were rejected\.\nline 1: alice was erased on .*\nline 2: bob was .*\nline 4: bob /,
  );
  expect((await stored()).filter((n) => n > 0)).toEqual([3]);
  expect((await anp(["users", "erase", "dave", "--reason", "asked", "--yes", ...on], own)).stderr).toContain(
    "dave is not known",
  );
});
