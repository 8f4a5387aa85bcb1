import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis } from "../support/redis-server.ts";
import { noTerminal } from "../support/terminal.ts";
import { ANP } from "../support/program.ts";
import { anp, anpInTerminal, spawnAnp } from "./anp.ts";
import { startDaemon } from "../support/daemon.ts";

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
  await done(["exchange", "alice", "5", ...at(NOW - 8 * DAY)]);
  await done(["points", "adjust", "alice", "-3", "--reason", "重复支付", ...at(NOW - 3 * DAY)]);
  await done(["ask", "hello", "--user", "alice", "--json", ...at(NOW - 2 * DAY)]);
  await done(["exchange", "alice", "1", "--idempotency-key", "order-1", ...at(NOW - DAY)]);
  await done(["points", "adjust", "alice", "7", "--reason", "goodwill", ...at(NOW - 2 * 3_600_000)]);
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
      /^id\tcreated_at\ttype\tdelta\tbalance_after\tdescription\tref_id\n4\t\S+\texchange\t10\t57\t.*\n3\t.*\n$/,
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
    expect(JSON.parse(await done(["ledger", "alice", "--all", "--json", ...DATA]))).toHaveLength(6);
  });

  it("finds entries by type, time and reference", async () => {
    expect(await ids("alice", "--type", "exchange")).toEqual([4, 1]);
    expect(await ids("alice", "--type", "exchange", "--type", "adjust", "--since", "4d")).toEqual([5, 4, 2]);
    expect(await ids("alice", "--since", "3h")).toEqual([6, 5]);
    expect(await ids("alice", "--until", new Date(NOW - 2 * DAY).toISOString())).toEqual([3, 2, 1]);
    const day = new Date(NOW - 3 * DAY).toISOString().slice(0, 10);
    const inUtc = await spawnAnp(["ledger", "alice", "--since", day, "--until", day, ...at(NOW)], {
      cwd,
      env: { TZ: "UTC" },
    });
    expect(inUtc.stdout.trim().split("\n").slice(1)).toEqual([expect.stringMatching(/^2\t/)]);
    const [, ref] = /\n4\t.*\t(\S+)\n/.exec(await done(["ledger", "alice", ...DATA]))!;
    expect(await ids("alice", "--ref", ref!)).toEqual([4]);
    expect(await ids("alice", "--ref", ref!.slice(0, 13))).toEqual([4]);
    expect(await ids("bob", "--all")).toEqual([]);
  });

  it("refuses flags that exclude each other", async () => {
    const wanted: [args: string[], says: string][] = [
      [["--type", "exchnge", "--since", "2026-02-30", "--ref", "short"], "did you mean exchange?"],
      [["--type", "exchnge", "--since", "2026-02-30", "--ref", "short"], "--since must be a day"],
      [["--type", "exchnge", "--since", "2026-02-30", "--ref", "short"], "--ref must have at least 6 characters"],
      [["--since", "1h", "--until", "2h"], "--since must not be after --until"],
      [["--all", "--page", "2"], "cannot be used with --all"],
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
    const [, ref] = /\n3\t.*\t(\S+)\n/.exec(await done(["ledger", "alice", ...DATA]))!;
    const shown = JSON.parse(await done(["ledger", "show", ref!, "--json", ...DATA])) as Record<string, unknown>;
    expect(shown).toMatchObject({ user_id: "alice", entry_id: 3, question: "hello" });
    for (const args of [[String(shown["message_id"])], [ref!, "--user", "alice"], ["3", "--user", "alice"]]) {
      expect(JSON.parse(await done(["ledger", "show", ...args, "--json", ...DATA]))).toEqual(shown);
    }
    for (const args of [["r00000000000000000000000000"], [ref!, "--user", "bob"], ["99", "--user", "alice"], ["3"]]) {
      const { code, stdout } = await anp(["ledger", "show", ...args, ...DATA], { cwd });
      expect([code, stdout]).toEqual([5, ""]);
    }
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
    await done(["users", "create", "anp_token-like", ...DATA]);
    expect(await done(["quota", "anp_token-like", ...DATA])).toContain("\nanp_token-like\t");
    const wanted: [args: string[], code: number, says: string][] = [
      [["quota", "anp_"], 5, "User anp_ is not known"],
      [["quota", "anp_zzzz0000"], 5, "or a token that begins like this"],
      [["exchange", tokens[0]!.slice(0, 9), "1"], 5, "is not known"],
      [["points", "adjust", tokens[0]!.slice(0, 9), "1", "--reason", "x"], 5, "is not known"],
    ];
    for (const [args, code, says] of wanted) {
      const ended = await anp([...args, ...DATA], { cwd });
      expect([ended.code, ended.stdout, ended.stderr]).toEqual([code, "", expect.stringContaining(says)]);
    }
  });
});

describe.skipIf(noTerminal !== undefined)("on a terminal", () => {
  const inTerminal = (args: readonly string[], more: Partial<Parameters<typeof anpInTerminal>[1]> = {}) =>
    anpInTerminal([...args, "--no-color", ...at(NOW)], { cwd, columns: 120, env: { TZ: "Asia/Shanghai" }, ...more });

  it("shows ages and local times, and leaves out columns that do not fit", async () => {
    const { screen } = await inTerminal(["ledger", "alice", "--page-size", "3"]);
    expect(screen).toMatch(/^ID {2}CREATED AT +AGE +TYPE +DELTA +BALANCE +DESCRIPTION +REF\n/);
    expect(screen).toMatch(/\n 5 {2}2026-11-20 10:00:00 {2}2 h ago +adjust +\+7 +64 +人工调整：goodwill +r\w{12}\n/);
    const narrow = await inTerminal(["ledger", "alice", "--page-size", "3"], { columns: 70 });
    expect(narrow.screen).toMatch(/^ID {2}CREATED AT +TYPE +DELTA +BALANCE +DESCRIPTION\n/);
  });

  it("draws totals as bars, and shows the time to the reset", async () => {
    const { screen } = await inTerminal(["ledger", "summary", "alice"]);
    expect(screen).toMatch(
      /\nearned {2} +█ +▂▂ {2}most 50 a day\nspent {3} +█ +▃? *most 3 a day\nfree {4} +█ █ {2}most 1 a day\n/,
    );
    const quota = await inTerminal(["quota", "alice"]);
    expect(quota.screen).toContain("next_reset_at         2026-11-21 00:00:00 (in 12 h)\n");
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

  it("prompts for a missing user with a search", async () => {
    const { code, screen } = await inTerminal(["quota"], {
      steps: [
        { on: "USER (id of the user", type: "li" },
        { on: "li (as typed)", type: "\r" },
      ],
    });
    expect([code, screen]).toEqual([0, expect.stringMatching(/user_id +alice\n/)]);
  });

  it("asks by user and label before a token is revoked", async () => {
    const { code } = await inTerminal(["tokens", "revoke", tokens[1]!], {
      steps: [{ on: "(laptop) of alice?", type: "y\r" }],
    });
    expect(code).toBe(0);
    expect(await done(["tokens", "list", "alice", ...DATA])).toMatch(/\tlaptop\t.*\trevoked\n/);
  });
});

it("reports that a flag after -- is read as an argument", async () => {
  const { code, stderr } = await anp(["exchange", "alice", "--", "-1", "--yes"], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("put --yes before it")]);
});

it("prints the same through a daemon", async () => {
  const daemon = await startDaemon(DATA, { cwd });
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
      expect(there).toBe(here);
    }
    const summary = ["ledger", "summary", "--since", "2026-11-01", "--format", "csv"];
    expect(await done([...summary, ...remote])).toBe(await done([...summary, "alice", ...DATA]));
  } finally {
    await daemon.end("SIGTERM");
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
      await done(["exchange", "follower", "1", ...own]);
      await done(["points", "adjust", "follower", "2", "--reason", "x", ...own]);
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
    await done(["points", "adjust", "follower", "1", "--reason", "x", "--storage", storage]);
  }

  it("prints new entries as they are written, on files and through a daemon, until it is interrupted", async () => {
    await prepare("fs:followed");
    await follows("fs:followed");
    await prepare("fs:served");
    const token = (await done(["tokens", "issue", "follower", "--storage", "fs:served"])).trim();
    const daemon = await startDaemon(["--storage", "fs:served"], { cwd });
    try {
      await follows("fs:served", ["--url", daemon.url, "--token", token]);
    } finally {
      await daemon.end("SIGTERM");
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
    await done(["points", "adjust", "follower", "1", "--reason", "x", "--storage", "fs:unread"]);
    expect(await gone).toEqual([0, null]);
  });
});
