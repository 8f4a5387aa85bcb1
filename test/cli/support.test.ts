import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis } from "../support/redis-server.ts";
import { ANP } from "../support/program.ts";
import { anp, anpInTerminal, serveHere, shell, spawnAnp } from "./anp.ts";

const DATA = ["--storage", "fs:data"];
const DAY = 86_400_000;
const NOW = Date.parse("2026-11-20T04:00:00Z");

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let cwd: string;
/** Of two tokens of alice and one of bob. */
let tokens: string[];

const at = (ms: number): string[] => ["--now", new Date(ms).toISOString(), ...DATA];

// Small talk is answered everywhere: here it costs.
const env = { ANP_COSTS_SMALL_TALK: "1" };

async function done(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await anp(args, { cwd, env });
  expect(code, `${args.join(" ")}: ${stderr}`).toBe(0);
  return stdout;
}

/** Ids of the entries that a command lists. */
async function ids(...args: string[]): Promise<number[]> {
  const lines = (await done(["ledger", ...args, "--format", "jsonl", ...at(NOW)])).split("\n").filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { id: number }).id);
}

beforeAll(async () => {
  folder = await temporaryFolder();
  cwd = folder.path;
  await done(["users", "create", "alice", "--quota", "1", ...at(NOW - 9 * DAY)]);
  await done(["users", "create", "bob", ...at(NOW - 9 * DAY)]);
  // Entries 1 to 6 of alice, over eight days.
  await done(["exchange", "alice", "5", "--yes", ...at(NOW - 8 * DAY)]);
  await done(["points", "adjust", "alice", "-3", "--reason", "重复支付", "--yes", ...at(NOW - 3 * DAY)]);
  await done(["ask", "hello", "--user", "alice", "--json", ...at(NOW - 2 * DAY)]);
  await done(["exchange", "alice", "1", "--idempotency-key", "order-1", "--yes", ...at(NOW - DAY)]);
  await done(["points", "adjust", "alice", "7", "--reason", "goodwill", "--yes", ...at(NOW - 2 * 3_600_000)]);
  await done(["ask", "你好", "--user", "alice", "--json", ...at(NOW - 60_000)]);
  tokens = [];
  for (const [user, label] of [
    ["alice", "手机"],
    ["alice", "laptop"],
    ["bob", "phone"],
  ] as const) {
    tokens.push((await done(["tokens", "issue", user, "--label", label, ...at(NOW - DAY)])).trim());
  }
});

afterAll(() => folder.remove());

describe("a ledger's commands", () => {
  it("shows the balance after each entry, on one page or all, newest first", async () => {
    const page = await done(["ledger", "alice", "--page-size", "2", "--page", "2", ...DATA]);
    expect(page).toMatch(
      /^id\tcreated_at\ttype\tdelta\tbalance_after\tdescription\tref_id\treason\tactor\treverses\n4\t\S+\texchange\t10\t57\t.*\n3\t.*\n$/,
    );
    const all = (await done(["ledger", "alice", "--all", ...DATA])).trim().split("\n");
    expect(all.map((line) => line.split("\t").slice(3, 5).join())).toEqual([
      "delta,balance_after",
      "0,64",
      "7,64",
      "10,57",
      "0,47",
      "-3,47",
      "50,50",
    ]);
    expect(JSON.parse(await done(["ledger", "alice", "--all", "--json", ...DATA]))).toMatchObject({
      items: { length: 6 },
      total: 6,
      page: 1,
      page_size: 6,
    });
  });

  it("finds entries by type, time and reference", async () => {
    expect(await ids("alice", "--type", "exchange")).toEqual([4, 1]);
    expect(await ids("alice", "--type", "exchange", "--type", "adjust", "--since", "4d")).toEqual([5, 4, 2]);
    expect(await ids("alice", "--since", "3h")).toEqual([6, 5]);
    expect(await ids("alice", "--until", new Date(NOW - 2 * DAY).toISOString())).toEqual([3, 2, 1]);
    const day = new Date(NOW - 3 * DAY).toISOString().slice(0, 10);
    const inUtc = await spawnAnp(["ledger", "alice", "--since", day, "--until", day, ...at(NOW)], {
      cwd,
      env: { TZ: "America/New_York" },
    });
    expect(inUtc.stdout.trim().split("\n").slice(1)).toEqual([expect.stringMatching(/^2\t/)]);
    const [, ref] = /\n4\t.*\t(\S+)\t\t\t\n/.exec(await done(["ledger", "alice", ...DATA]))!;
    expect(await ids("alice", "--ref", ref!)).toEqual([4]);
    expect(await ids("alice", "--ref", ref!.slice(0, 13))).toEqual([4]);
    expect(await ids("bob", "--all")).toEqual([]);
    expect(await ids("alice", "--type", "adjust", "--limit", "1")).toEqual([5]);
    const totalOf = async (...args: string[]): Promise<unknown> =>
      (JSON.parse(await done(["ledger", "alice", ...args, "-o", "json", ...DATA])) as { total: unknown }).total;
    // Of a whole ledger it is the number of its last entry; how many match is not known before all were seen.
    expect(await totalOf("--limit", "2")).toBe(6);
    expect(await totalOf("--limit", "2", "--wide")).toBe(6);
    expect(await totalOf("--type", "adjust")).toBe(2);
    expect(await totalOf("--type", "adjust", "--limit", "1")).toBeNull();
    expect(await totalOf("--since", "2026-11-01", "--limit", "1")).toBeNull();
  });

  it("takes an entry back once, with the reason and the actor, and shows it on both entries", async () => {
    const own = ["--storage", "fs:reversals", "--json"];
    const reverse = (entry: string, ...more: string[]) =>
      anp(["points", "reverse", entry, "--user", "u", "--reason", "mistake", "--actor", "ops", ...more, ...own], {
        cwd,
      });
    await done(["users", "create", "u", "--quota", "0", ...own]);
    await done(["points", "adjust", "u", "10", "--reason", "gift", "--yes", ...own]);
    await done(["points", "adjust", "u", "-4", "--reason", "taken", "--yes", ...own]);
    const short = await reverse("1", "--yes");
    expect([short.code, short.stderr]).toEqual([
      3,
      expect.stringContaining("10 needed, 6 left. Take what is left with --partial.\n"),
    ]);
    expect(short.stderr).not.toContain("Exchange");
    const tooMuch = await anp(["points", "adjust", "u", "-7", "--reason", "x", "--yes", ...own], { cwd });
    expect([tooMuch.code, tooMuch.stderr]).toEqual([3, "error: Insufficient points: 7 needed, 6 left.\n"]);
    const bound = await anp(["points", "adjust", "u", "999999999999999999", "--reason", "x", "--yes", ...own], { cwd });
    expect([bound.code, bound.stderr]).toEqual([2, expect.stringContaining("to 9007199254740991, not")]);
    const both = await Promise.all([reverse("1", "--partial", "--yes"), reverse("1", "--partial", "--yes")]);
    const [first, again] = both.map(({ stdout }) => JSON.parse(stdout) as object);
    expect(first).toMatchObject({
      entry_id: 3,
      delta: -6,
      balance_after: 0,
      reason: "mistake",
      actor: "ops",
      reverses: 1,
    });
    expect(again).toEqual(first);
    expect(JSON.parse((await reverse("2", "--yes")).stdout)).toMatchObject({ delta: 4, balance_after: 4, reverses: 2 });
    const show = async (id: string): Promise<unknown> =>
      JSON.parse(await done(["ledger", "show", id, "--user", "u", ...own]));
    expect(await show("1")).toMatchObject({ reverses: null, reversed_by: 3 });
    expect(await show("3")).toMatchObject({ reverses: 1, reversed_by: null });
    for (const [entry, code, says] of [
      ["3", 1, "is a reversal of entry 1 itself.\n"],
      ["9", 5, "9 was not found"],
    ] as const) {
      const refused = await reverse(entry, "--yes");
      expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(says)]);
      expect(refused.stderr).not.toContain("Correct the amount");
    }
    expect((await reverse("2")).code).toBe(2);
    expect((await reverse("entry:9", "--yes")).code).toBe(5);
    expect(JSON.parse((await reverse("entry:2", "--yes")).stdout)).toMatchObject({ entry_id: 4, reverses: 2 });
    expect(await done(["ledger", "verify", "u", "--storage", "fs:reversals"])).toContain("u\t4\t4\tok");
    // Corrections and what was taken back are not what the user did.
    await done(["exchange", "u", "5", "--yes", ...own]);
    await reverse("5", "--yes");
    await done(["ask", "hello", "--user", "u", ...own]);
    await reverse("7", "--yes");
    await done(["ask", "hi", "--user", "u", ...own]);
    const top = async (by: string): Promise<unknown> => JSON.parse(await done(["ledger", "top", "--by", by, ...own]));
    expect([await top("spent"), await top("earned")]).toEqual([
      [{ user_id: "u", spent: 1, earned: 0, free: 0, asked: 2 }],
      [],
    ]);
  });

  it("finds entries of all users, ranks users, and lists what a user asked", async () => {
    const search = async (...args: string[]) => {
      const found = JSON.parse(await done(["ledger", "search", ...args, "--json", ...at(NOW)])) as { items: object[] };
      return found.items;
    };
    expect(await search("--type", "adjust", "--since", "4d")).toMatchObject([
      { user_id: "alice", id: 5, reason: "goodwill" },
      { user_id: "alice", id: 2, reason: "重复支付" },
    ]);
    expect(await search("--reason", "GOOD")).toMatchObject([{ id: 5 }]);
    expect(await search("--actor", "nobody")).toEqual([]);
    expect(await search("--most", "-1")).toMatchObject([{ id: 2, delta: -3 }]);
    expect(await search("--least", "10", "--since", "2d")).toMatchObject([{ id: 4 }]);
    const top = await done(["ledger", "top", "--by", "earned", "--since", "4d", ...at(NOW)]);
    expect(top).toBe("user_id\tspent\tearned\tfree\tasked\nalice\t0\t10\t2\t2\n");
    expect(await done(["ledger", "top", "--since", "1h", ...at(NOW)])).toBe("user_id\tspent\tearned\tfree\tasked\n");
    const nobody = await anp(
      ["ledger", "top", "--by", "free", "--since", "2020-01-01", "--until", "2020-01-02", ...DATA],
      { cwd },
    );
    expect(nobody.stderr).toBe(
      "No user had free uses from 2020-01-01 00:00:00 +08:00 to 2020-01-02 23:59:59 +08:00.\n",
    );
    const asked = ["questions", "alice", "--json"];
    expect(JSON.parse(await done([...asked, ...at(NOW)]))).toMatchObject([
      { entry: 6, question: "你好", free_use: true, repeats_entry: null },
      { entry: 3, question: "hello", feedback: null },
    ]);
    const own = ["--storage", "fs:repeats"];
    await done(["users", "create", "r", ...own, ...at(NOW).slice(0, 2)]);
    for (const now of [0, 3000])
      await done(["ask", "hello", "--user", "r", ...own, "--now", new Date(NOW + now).toISOString()]);
    const repeated = await done(["questions", "r", "--json", ...own, "--now", new Date(NOW + 9000).toISOString()]);
    const marks = [{ repeats_entry: 1, seconds_after: 3, repeat_key: "none" }, { repeats_entry: null }];
    expect(JSON.parse(repeated)).toMatchObject(marks);
    const wide = async (...args: string[]): Promise<unknown> =>
      (JSON.parse(await done(["ledger", "r", "--wide", "--json", ...args, ...own])) as { items: unknown }).items;
    for (const args of [[], ["--all"], ["--limit", "5"]]) expect(await wide(...args)).toMatchObject(marks);
    for (const args of [
      ["--page-size", "1"],
      ["--limit", "1"],
    ])
      expect(await wide(...args)).toMatchObject([marks[0]]);
    expect(await wide("--type", "exchange")).toEqual([]);
    expect(await done(["ledger", "alice", "--wide", "--limit", "1", ...at(NOW)])).toMatch(
      /\treverses\troute\trepeats_entry\tseconds_after\trepeat_key\tquestion\n6\t.*\tsmall_talk\/\w+\t\t\t\t你好\n$/,
    );
    for (const key of ["one", "two"])
      await done(["ask", "fees?", "--user", "r", "--idempotency-key", key, ...own, ...at(NOW + DAY).slice(0, 2)]);
    expect(await wide("--limit", "1")).toMatchObject([{ repeats_entry: 3, seconds_after: 0, repeat_key: "other" }]);
    expect((await anp(["questions", "alice", "--url", "http://127.0.0.1:1", "--token", "x"], { cwd })).code).toBe(2);
  });

  it("refuses flags that exclude each other", async () => {
    const wanted: [args: string[], says: string][] = [
      [["--type", "exchnge", "--since", "2026-02-30", "--ref", "short"], "did you mean exchange?"],
      [["--type", "exchnge", "--since", "2026-02-30", "--ref", "short"], "--since must be a day"],
      [["--type", "exchnge", "--since", "2026-02-30", "--ref", "short"], "--ref must have at least 6 characters"],
      [["--since", "1h", "--until", "2h"], "--since must not be after --until"],
      [["--all", "--page", "2"], "cannot be used with --all"],
      [["--limit", "3", "--page-size", "2"], "--page-size cannot be used with --limit."],
      [["--follow", "--json"], "cannot print one JSON document"],
    ];
    const ended = wanted.slice(2).map(([args]) => anp(["ledger", "alice", ...args, ...DATA], { cwd }));
    const [first, ...others] = await Promise.all(ended);
    for (const [index, { code, stdout, stderr }] of [first!, first!, first!, ...others].entries()) {
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(wanted[index]![1])]);
    }
  });

  it("sums up by type and by day of the quota", async () => {
    const args = ["ledger", "summary", "alice", "--json", ...at(NOW)];
    const summary = JSON.parse(await done(args)) as Record<string, unknown>;
    expect(summary).toMatchObject({ balance: 64, entries: 6, earned: 67, spent: 3, free_uses: 2 });
    expect(summary["by_type"]).toContainEqual({ type: "adjust", entries: 2, delta: 4, free_uses: 0 });
    expect(summary["by_day"]).toContainEqual({ day: "2026-11-18", earned: 0, spent: 0, free_uses: 1, entries: 1 });
    expect(JSON.parse(await done([...args, "--since", "3d", "--type", "adjust"]))).toMatchObject({ entries: 2 });
  });

  it("finds the question by request, answer or entry number", async () => {
    const [, ref] = /\n3\t.*\t(\S+)\t\t\t\n/.exec(await done(["ledger", "alice", ...DATA]))!;
    const shown = JSON.parse(await done(["ledger", "show", ref!, "--json", ...DATA])) as Record<string, unknown>;
    expect(shown).toMatchObject({ user_id: "alice", entry_id: 3, question: "hello" });
    for (const args of [[String(shown["message_id"])], [ref!, "--user", "alice"], ["3", "--user", "alice"]]) {
      expect(JSON.parse(await done(["ledger", "show", ...args, "--json", ...DATA]))).toEqual(shown);
    }
    for (const args of [["r00000000000000000000000000"], [ref!, "--user", "bob"], ["99", "--user", "alice"], ["3"]]) {
      const { code, stdout } = await anp(["ledger", "show", ...args, ...DATA], { cwd });
      expect([code, stdout]).toEqual([5, ""]);
    }
    expect(JSON.parse(await done(["ledger", "show", ref!.slice(0, 13), "--json", ...DATA]))).toEqual(shown);
  });

  it("shows an overview of a user", async () => {
    await done(["events", "record", "feedback", "--user", "alice", "--feedback", "inaccurate", ...at(NOW - 30_000)]);
    const user = JSON.parse(await done(["users", "show", "alice", "--json", ...at(NOW)])) as Record<string, unknown[]>;
    expect(user).toMatchObject({ balance: 64, entries: 6, plan: "free", free_daily_quota: 1 });
    expect(user["tokens"]).toHaveLength(2);
    expect(user["last_questions"]).toMatchObject([
      { question: "你好", entry: 6 },
      { entry: 3, free_use: true },
    ]);
    expect(user["last_entries"]).toMatchObject([{ id: 6 }, { id: 5 }, { id: 4 }, { id: 3 }, { id: 2 }]);
    expect(user["feedback"]).toMatchObject([{ feedback_type: "inaccurate" }]);
    expect(await done(["users", "show", "alice", ...at(NOW)])).not.toContain("[");
  });
});

it("shows who was erased, and refuses to act for them", async () => {
  const own = ["--storage", "fs:erased", "--format", "json"];
  const because = ["--reason", "asked by mail", "--yes"];
  const run = (...args: string[]) => anp([...args, ...own], { cwd, env: { ...env, ANP_AUTH_CACHE_MS: "0" } });
  await run("users", "create", "gone");
  await run("users", "create", "here");
  await run("points", "adjust", "gone", "9", ...because);
  const { at: erased_at } = JSON.parse((await run("users", "erase", "gone", ...because)).stdout) as { at: string };
  expect(JSON.parse((await run("users", "show", "gone")).stdout)).toMatchObject({ erased_at, balance: 9 });
  const list = JSON.parse((await run("users", "list")).stdout) as object;
  expect(list).toMatchObject([{ erased_at }, { user_id: "here", erased_at: null }]);
  for (const args of [
    ["tokens", "issue", "gone"],
    ["tokens", "rotate", "gone", "--yes"],
    ["exchange", "gone", "1", "--yes"],
    ["subscription", "set", "gone", "--plan", "pro", "--yes"],
    ["ask", "hello", "--user", "gone"],
    ["users", "create", "gone"],
  ]) {
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`gone was erased on ${erased_at}: `)]);
  }
  // A mistake in the ledger can still be corrected; a reversal, which cannot be reversed, only by an adjustment.
  expect((await run("points", "reverse", "1", "--user", "gone", ...because)).code).toBe(0);
  expect((await run("points", "adjust", "gone", "9", ...because)).code).toBe(0);
  expect((await run("ledger", "gone")).code).toBe(0);
});

it("takes a bare day for a quota day where events are counted and exported", async () => {
  const own = ["--storage", "fs:days"];
  await done(["users", "create", "d", ...own, ...at(NOW).slice(0, 2)]);
  // In +08:00 the first is of the 19th, and the other two of the 20th; in UTC the first two are of one day.
  for (const now of ["2026-11-19T15:59:59Z", "2026-11-19T16:00:00Z", "2026-11-20T15:59:59Z"])
    await done(["events", "record", "page_view", "--user", "d", ...own, "--now", now]);
  const now = ["--now", "2026-11-20T22:00:00+08:00"];
  const days = async (...args: string[]): Promise<unknown> => {
    const stats = JSON.parse(await done(["events", "stats", ...args, "--json", ...own, ...now])) as { by_day: unknown };
    return stats.by_day;
  };
  expect(await days()).toEqual([
    { day: "2026-11-19", count: 1 },
    { day: "2026-11-20", count: 2 },
  ]);
  expect(await days("--from", "2026-11-20")).toEqual([{ day: "2026-11-20", count: 2 }]);
  expect(await days("--to", "yesterday")).toEqual([{ day: "2026-11-19", count: 1 }]);
  const exported = await done(["events", "export", "--from", "today", "--to", "today", ...own, ...now]);
  expect(exported.match(/"created_at":"[^"]*/g)).toHaveLength(2);
});

it("prunes what is older than the configuration keeps, and says what goes", async () => {
  const own = ["--storage", "fs:pruned"];
  await done(["users", "create", "p", ...own, ...at(NOW).slice(0, 2)]);
  for (const days of [9, 5, 0])
    await done(["ask", "hello", "--user", "p", ...own, ...at(NOW - days * DAY).slice(0, 2)]);
  const prune = (more: NodeJS.ProcessEnv, ...args: string[]) =>
    anp(["storage", "prune", ...args, ...own, ...at(NOW).slice(0, 2)], { cwd, env: { ...env, ...more } });
  const set = { ANP_RETENTION_ANSWERS_DAYS: "4", ANP_RETENTION_EVENTS_DAYS: "5" };
  const refused: [env: NodeJS.ProcessEnv, args: string[], says: string][] = [
    [{}, ["--yes"], "Everything is kept for ever: set retention.answers_days or retention.events_days."],
    [{ ANP_RETENTION_ANSWERS_DAYS: "0" }, ["--yes"], "retention.answers_days: must be"],
    [set, [], "confirm with --yes"],
  ];
  for (const [more, args, says] of refused) {
    const { code, stdout, stderr } = await prune(more, ...args);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(says)]);
  }
  const goes =
    "kind\tcount\toldest_day\tnewest_day\nanswers\t2\t2026-11-11\t2026-11-15\n" +
    "sessions\t1\t2026-11-11\t2026-11-11\nevent_days\t1\t2026-11-11\t2026-11-11\n";
  for (const flag of ["--dry-run", "--yes"]) expect((await prune(set, flag)).stdout).toBe(goes);
  expect((await prune(set, "--yes")).stdout).toMatch(/\nanswers\t0\t\t\nsessions\t0\t\t\nevent_days\t0\t\t\n$/);
  expect(await done(["ledger", "verify", "--all", ...own])).toContain("p\t3\t0\tok");
  expect(await done(["ledger", "p", "--wide", ...own])).toMatch(/\thello\n2\t.*\t\n1\t.*\t\n$/);
});

it.for([
  ["ledger verify", /^error: Interrupted: \d+ keys listed\. It starts from the beginning when run again\.\n$/],
  ["ledger search", /^error: Interrupted: (\d+) of \1 users searched, .*\. What was found so far is printed; /],
  ["ledger top", /^error: Interrupted: (\d+) of \1 users read, .*\. A shorter range takes less time\.\n$/],
  ["ledger export", /^error: Interrupted: 1 lines, \d+\/s\. What was written is incomplete, /],
  ["storage export", /^error: Interrupted: 1 lines, \d+\/s\. What was written is incomplete, /],
  ["events export", /^error: Interrupted: 1 events, \d+\/s\. --from with the day of the last event printed/],
  ["storage prune --yes", /^error: Interrupted: \d+ old answers found\. Nothing was removed\.\n$/],
  ["users erase gone --reason r --yes", /^error: Interrupted: 1 values, .*\. The erasure has begun: the same command /],
] as const)("says where an interrupted %s is and how to go on", async ([line, expected]) => {
  const kept = { ANP_RETENTION_ANSWERS_DAYS: "1", ANP_AUTH_CACHE_MS: "0" };
  const own = ["--storage", "fs:interrupted"];
  const event = JSON.stringify({ user_id: "gone", event_type: "page_view", created_at: "2026-11-20T01:00:00Z" });
  await anp(["users", "create", "gone", ...own], { cwd, env });
  await anp(["events", "replay", "-", ...own], { cwd, env, input: `${event}\n` });
  await anp(["ask", "hello", "--user", "gone", ...own], { cwd, env });
  const signals = new EventEmitter();
  // As soon as somebody listens: whatever begins then is long enough.
  signals.on("newListener", (name) => name === "SIGINT" && queueMicrotask(() => signals.emit("SIGINT", "SIGINT")));
  const { code, stderr } = await anp([...line.split(" "), ...own], { cwd, env: { ...env, ...kept }, signals });
  expect([code, stderr]).toEqual([130, expect.stringMatching(expected)]);
});

describe("the tokens of a user", () => {
  const own = ["--storage", "fs:rotated"];
  const states = async (now: number): Promise<string[]> =>
    (
      JSON.parse(await done(["tokens", "list", "r", "--json", ...own, ...at(now).slice(0, 2)])) as { state: string }[]
    ).map(({ state }) => state);

  it("are rotated at once or after a grace, never before the new one was read, and revoked all together", async () => {
    const now = at(NOW).slice(0, 2);
    const rotate = (...args: string[]): Promise<string> => done(["tokens", "rotate", "r", ...args, ...own, ...now]);
    await done(["users", "create", "r", ...own, ...now]);
    await done(["tokens", "issue", "r", ...own, ...now]);
    await done(["tokens", "issue", "r", "--expires", "2026-11-20T04:10:00Z", ...own, ...now]);
    const first = JSON.parse(await rotate("--grace", "1h", "--label", "new", "--json")) as Record<string, unknown>;
    expect(first).toMatchObject({ label: "new", others: { length: 2 }, others_end_at: "2026-11-20T05:00:00.000Z" });
    expect(await states(NOW + 599_000)).toEqual(["active", "active", "active"]);
    expect((await states(NOW + 600_000)).sort()).toEqual(["active", "active", "expired"]);
    expect((await states(NOW + 3_600_000)).sort()).toEqual(["active", "expired", "expired"]);
    const unread = await shell(`anp tokens rotate r ${[...own, ...now].join(" ")} > /dev/full`, cwd);
    expect([unread.code, (await states(NOW)).filter((state) => state === "active").length]).toEqual([1, 4]);
    const secret = (await rotate()).trim();
    expect((await states(NOW)).sort()).toEqual(["active", "revoked", "revoked", "revoked", "revoked"]);
    expect(await done(["quota", secret, ...own, ...now])).toMatch(/\nr\t/);
    const all = ["tokens", "revoke", "--user", "r", "--all", ...own, ...now];
    expect(JSON.parse(await done([...all, "--json"]))).toMatchObject([{ state: "revoked" }]);
    expect((await anp(all, { cwd })).stderr).toContain("r has no active tokens.");
  });

  it("are shown to people with times in the zone of the quota when they are made", async () => {
    const table = ["--format", "table", "--storage", "fs:shown", ...at(NOW).slice(0, 2)];
    await done(["users", "create", "s", "--storage", "fs:shown", ...at(NOW).slice(0, 2)]);
    const issued = await done(["tokens", "issue", "s", "--expires", "1d", ...table]);
    expect(issued).toMatch(/\ncreated_at +2026-11-20 12:00:00 \+08:00\nexpires_at +2026-11-21 12:00:00 \+08:00\n/);
    const rotated = await done(["tokens", "rotate", "s", "--grace", "1h", "--yes", ...table]);
    expect(rotated).toMatch(
      /\ncreated_at +2026-11-20 12:00:00 \+08:00\n(.*\n)+others_end_at +2026-11-20 13:00:00 \+08:00\n/,
    );
    const added = await done(["operators", "add", "ops", "--role", "support", "--actor", "root", ...table]);
    expect(added).toMatch(/\ncreated_at +2026-11-20 12:00:00 \+08:00\n/);
  });

  it("refuses what does not go together", async () => {
    const wanted: [args: string[], code: number, says: string][] = [
      [["rotate", "alice", "--grace", "31d"], 2, "--grace must be 0 or a time as 30m or 1h, up to 30d"],
      [["rotate", "nobody"], 5, "User nobody is not known"],
      [["revoke"], 2, "Give either ID, or --user and --all."],
      [["revoke", "0123456789abcdef", "--user", "alice", "--all"], 2, "Give either ID"],
      [["revoke", "--user", "alice"], 2, "--user and --all go together"],
      [["revoke", "--user", "nobody", "--all"], 5, "User nobody is not known"],
    ];
    for (const [args, code, says] of wanted) {
      const ended = await anp(["tokens", ...args, ...at(NOW)], { cwd });
      expect([ended.code, ended.stdout, ended.stderr]).toEqual([code, "", expect.stringContaining(says)]);
    }
  });
});

describe("a user named by the beginning of a token", () => {
  it("is found by commands that only read", async () => {
    const start = tokens[0]!.slice(0, 9);
    for (const args of [
      ["ledger", "summary"],
      ["users", "show"],
    ]) {
      const [byToken, byId] = await Promise.all([start, "alice"].map((user) => done([...args, user, ...at(NOW)])));
      expect(byToken).toBe(byId);
    }
    expect(await done(["quota", tokens[2]!, ...DATA])).toMatch(/\nbob\t/);
  });

  it("is refused when it is ambiguous, unknown, or the command changes something", async () => {
    await done(["users", "create", "anp_token-like", ...at(NOW)]);
    expect(await done(["quota", "anp_token-like", ...DATA])).toContain("\nanp_token-like\t");
    const wanted: [args: string[], code: number, says: string][] = [
      [["quota", "anp_"], 5, "User anp_ is not known"],
      [["quota", "anp_zzzz0000"], 5, "or a token that begins like this"],
      [["exchange", tokens[0]!.slice(0, 9), "1", "--yes"], 5, "is not known"],
      [["points", "adjust", tokens[0]!.slice(0, 9), "1", "--reason", "x"], 5, "is not known"],
    ];
    for (const [args, code, says] of wanted) {
      const ended = await anp([...args, ...DATA], { cwd });
      expect([ended.code, ended.stdout, ended.stderr]).toEqual([code, "", expect.stringContaining(says)]);
    }
  });
});

describe("on a terminal", () => {
  const inTerminal = (args: readonly string[], more: Partial<Parameters<typeof anpInTerminal>[1]> = {}) =>
    anpInTerminal([...args, "--no-color", ...at(NOW)], { cwd, columns: 120, ...more });

  it("shows ages and local times, and leaves out columns that do not fit", async () => {
    const { screen } = await inTerminal(["ledger", "alice", "--page-size", "3"]);
    const wide = await inTerminal(["ledger", "alice", "--wide", "--limit", "2"], { columns: 180 });
    expect(wide.screen).toMatch(/ +REASON +ACTOR +ROUTE +REPEATS +QUESTION\n[^]* +goodwill +\w+ *\n/);
    expect(screen).toMatch(/^ID {2}CREATED AT \+08:00 +AGE +TYPE +DELTA +BALANCE +DESCRIPTION +REF\n/);
    expect(screen).toMatch(/\n 5 {2}2026-11-20 10:00:00 {2}2 h ago +adjust +\+7 +64 +人工调整：goodwill +r\w{12}\n/);
    const narrow = await inTerminal(["ledger", "alice", "--page-size", "3"], { columns: 70 });
    expect(narrow.screen).toMatch(/^ID {2}CREATED AT \+08:00 +TYPE +DELTA +BALANCE +DESCRIPTION\n/);
  });

  it("shows totals by day, and the time to the reset", async () => {
    const { screen } = await inTerminal(["ledger", "summary", "alice"]);
    expect(screen).toMatch(/\nDays in \+08:00\nDAY +EARNED +SPENT +FREE USES +ENTRIES\n2026-11-20 /);
    const quota = await inTerminal(["quota", "alice"]);
    expect(quota.screen).toContain("next_reset_at         2026-11-21 00:00:00 +08:00 (in 12 h)\n");
  });

  it("shows a user on one screen", async () => {
    const { screen } = await inTerminal(["users", "show", "alice"]);
    expect(screen.split("\n").length).toBeLessThan(40);
    expect(screen).toContain("plan       free (free): memory off, advanced research off\n");
    for (const title of ["Tokens", "Last questions", "Last entries", "Feedback of the last 7 days"]) {
      expect(screen).toContain(`\n${title}\n`);
    }
    expect(screen).not.toMatch(/[{}[\]]/);
  });

  it("holds a conversation in one session, and goes on where a question is refused", async () => {
    const own = ["--storage", "fs:talk", ...at(NOW).slice(0, 2)];
    await done(["users", "create", "talker", "--quota", "1", ...own]);
    await done(["points", "adjust", "talker", "2", "--reason", "to talk", "--yes", ...own]);
    const { code, screen } = await anpInTerminal(["ask", "--user", "talker", "--no-color", ...own], {
      cwd,
      env,
      steps: [
        { on: "> ", type: "hello\r" },
        { on: "[0 points, 2 left] > ", type: "你好\r" },
        { on: "[1 point, 1 left] > ", type: "/sources\r" },
        { on: "The last answer has no sources.", type: "/new\r" },
        { on: "a new session", type: "hello\r" },
        { on: "[1 point, 0 left] > ", type: "hello\r" },
        { on: "Insufficient points", type: "\u0004" },
      ],
    });
    expect([code, screen]).toEqual([0, expect.stringContaining("/quit or Ctrl-D ends")]);
    const asked = JSON.parse(await done(["ledger", "talker", "--wide", "--json", "--storage", "fs:talk"])) as {
      items: { ref_id: string; type: string }[];
    };
    const charges = asked.items.filter(({ type }) => type === "chat_cost");
    const sessions = charges.map(async ({ ref_id }) => {
      const shown = await done(["ledger", "show", ref_id, "--json", "--storage", "fs:talk"]);
      return (JSON.parse(shown) as { session_id: number }).session_id;
    });
    const [afterNew, second, first] = await Promise.all(sessions);
    expect([sessions.length, second === first, afterNew === first]).toEqual([3, true, false]);
  });

  it("ends a conversation with 130 where an answer is awaited, and quietly at the prompt", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    try {
      const { port } = silent.address() as AddressInfo;
      const args = ["ask", "--url", `http://127.0.0.1:${port}`, "--token", "x", "--no-color"];
      const steps = [
        { on: "> ", type: "hello\r" },
        { on: "answering", type: "\u0003" },
      ];
      expect((await anpInTerminal(args, { cwd, steps })).code).toBe(130);
      expect((await anpInTerminal(args, { cwd, steps: [{ on: "> ", type: "\u0003" }] })).code).toBe(0);
    } finally {
      silent.close();
    }
    const missing = await anp(["ask", "--user", "alice", ...DATA], { cwd });
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining("QUESTION is missing: 1 to 2000 characters."),
    ]);
  });

  it("prompts for a missing user with a search", async () => {
    const { code, screen } = await inTerminal(["quota"], {
      steps: [
        { on: "USER (id of the user", type: "li" },
        { on: "li (as typed)", type: "\r" },
      ],
    });
    expect([code, screen]).toEqual([0, expect.stringMatching(/user_id +alice\n/)]);
  });

  it("shows how far long work is, of how much, and the time left", async () => {
    const top = await inTerminal(["ledger", "top"]);
    expect(top.screen).toMatch(/(\d+) of \1 users read, 100 %, 0 s left/);
    const search = await inTerminal(["ledger", "search"]);
    expect(search.screen).toMatch(/(\d+) of \1 users searched, 100 %, 0 s left/);
  });

  it("asks for the user and shows the tokens to choose from where no id is given", async () => {
    await done(["users", "create", "tess", ...at(NOW)]);
    const issued = (await done(["tokens", "issue", "tess", "--label", "phone", ...at(NOW)])).trim();
    const chosen = await inTerminal(["tokens", "revoke"], {
      steps: [
        { on: "USER (whose token to revoke)", type: "tes" },
        { on: "tes (as typed)", type: "\r" },
        { on: "Token of tess", type: "\r" },
        { on: "(phone) of tess?", type: "y\r" },
      ],
    });
    expect([chosen.code, chosen.screen]).toEqual([0, expect.stringContaining(`${issued.slice(0, 12)}…  phone  `)]);
    expect(await done(["tokens", "list", "tess", ...DATA])).toMatch(/\tphone\t.*\trevoked\n/);
    const none = await inTerminal(["tokens", "revoke", "--user", "tess"]);
    expect([none.code, none.screen]).toEqual([5, expect.stringContaining("tess has no active tokens.")]);
  });

  it("asks by user and label before a token is revoked", async () => {
    const { code } = await inTerminal(["tokens", "revoke", tokens[1]!], {
      steps: [{ on: "(laptop) of alice?", type: "y\r" }],
    });
    expect(code).toBe(0);
    expect(await done(["tokens", "list", "alice", ...DATA])).toMatch(/\tlaptop\t.*\trevoked\n/);
    const no = await inTerminal(["tokens", "revoke", "--user", "bob", "--all"], {
      steps: [{ on: "Revoke 1 token of bob?", type: "n\r" }],
    });
    expect(no.code).toBe(1);
  });
});

it("reports that a flag after -- is read as an argument", async () => {
  const { code, stderr } = await anp(["exchange", "alice", "--", "-1", "--yes"], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("put --yes before it")]);
});

it("prints the same through a daemon", async () => {
  const daemon = await serveHere(DATA, { cwd });
  try {
    const remote = ["--url", daemon.url, "--token", tokens[0]!];
    const lists = [
      ["--all"],
      ["--type", "adjust"],
      ["--page-size", "4"],
      ["--page", "3", "--page-size", "2"],
      ["--page-size", "100", "--format", "csv"],
    ];
    for (const args of lists) {
      const [there, here] = await Promise.all([
        done(["ledger", ...args, ...remote]),
        done(["ledger", "alice", ...args, ...DATA]),
      ]);
      // A user's token does not read who adjusted.
      expect(there).toBe(here.replaceAll(/\t\S+\troot\t$/gm, "\t\t\t").replaceAll(/,[^,\n]+,root,$/gm, ",,,"));
    }
    const summary = ["ledger", "summary", "--since", "2026-11-01", "--format", "csv"];
    expect(await done([...summary, ...remote])).toBe(await done([...summary, "alice", ...DATA]));
    // Two users' rewards may have one reference: both are listed, instead of one being picked.
    for (const token of [tokens[0]!, tokens[2]!]) {
      const headers = { "x-user-token": token, "content-type": "application/json" };
      const body = JSON.stringify({ ref_id: "order-77", trade_type: "spot", volume_usd: 100 });
      expect((await fetch(`${daemon.url}/api/v1/ai/points/trade-reward`, { method: "POST", headers, body })).ok).toBe(
        true,
      );
    }
    const shown = await anp(["ledger", "show", "order-77", "--json", ...DATA], { cwd });
    expect(JSON.parse(shown.stdout)).toMatchObject([{ user_id: "alice" }, { user_id: "bob" }]);
    expect(shown.stderr).toContain("2 entries match: show one by its number, as entry:");
    // A reward whose reference is the number of another entry.
    const headers = { "x-user-token": tokens[0]!, "content-type": "application/json" };
    const body = JSON.stringify({ ref_id: "4", trade_type: "spot", volume_usd: 100 });
    await fetch(`${daemon.url}/api/v1/ai/points/trade-reward`, { method: "POST", headers, body });
    const because = ["--user", "alice", "--reason", "mistake", "--yes", ...DATA];
    const refused = await anp(["points", "reverse", "4", ...because], { cwd });
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(/2 entries match 4: give a number, as entry:4\./);
    expect((await anp(["quota", "alcie", ...DATA], { cwd })).stderr).toContain("Did you mean alice?");
  } finally {
    await daemon.end();
  }
});

/** A process of `anp` whose output is read as it comes. */
function reading(args: readonly string[]) {
  const child = spawn(process.execPath, [ANP, ...args], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  let heard: () => void = () => undefined;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    heard();
  });
  return {
    child,
    until: async (words: RegExp): Promise<string> => {
      while (!words.test(text)) {
        await Promise.race([
          new Promise<void>((resolve) => (heard = resolve)),
          once(child, "exit").then(() => {
            if (!words.test(text)) throw new Error(`It ended before ${String(words)}: ${text}`);
          }),
        ]);
      }
      return text;
    },
  };
}

describe("following a ledger", () => {
  const follows = async (storage: string, target: readonly string[] = ["--storage", storage]): Promise<void> => {
    const own = ["--storage", storage];
    const { child, until } = reading(["ledger", "follower", "--follow", "--type", "adjust", ...target]);
    try {
      await until(/^id\t.*\n1\t.*\tadjust\t1\t1\t/);
      await done(["exchange", "follower", "1", "--yes", ...own]);
      await done(["points", "adjust", "follower", "2", "--reason", "x", "--yes", ...own]);
      await until(/\n3\t.*\tadjust\t2\t13\t.*\n$/);
      expect(await until(/./)).not.toContain("\n2\t");
      child.kill("SIGINT");
      expect(await once(child, "exit")).toEqual([130, null]);
    } finally {
      child.kill("SIGKILL");
    }
  };

  async function prepare(storage: string): Promise<void> {
    await done(["users", "create", "follower", "--storage", storage]);
    await done(["points", "adjust", "follower", "1", "--reason", "x", "--storage", storage, "--yes"]);
  }

  it("prints new entries as they are written, on files and through a daemon, until it is interrupted", async () => {
    await prepare("fs:followed");
    await follows("fs:followed");
    await prepare("fs:served");
    const token = (await done(["tokens", "issue", "follower", "--storage", "fs:served"])).trim();
    const daemon = await serveHere(["--storage", "fs:served"], { cwd });
    try {
      await follows("fs:served", ["--url", daemon.url, "--token", token]);
    } finally {
      await daemon.end();
    }
  });

  it.skipIf(noRedis !== undefined)("prints new entries as they are written on a Redis", async () => {
    const redis = await startRedis();
    try {
      await prepare(redis.url());
      await follows(redis.url());
    } finally {
      await redis.stop();
    }
  });

  it("ends quietly when stdout is closed", async () => {
    await prepare("fs:unread");
    const { child, until } = reading(["ledger", "follower", "--follow", "--storage", "fs:unread"]);
    await until(/\n1\t/);
    child.stdout.destroy();
    const gone = once(child, "exit");
    await done(["points", "adjust", "follower", "1", "--reason", "x", "--storage", "fs:unread", "--yes"]);
    expect(await gone).toEqual([0, null]);
  });
});
