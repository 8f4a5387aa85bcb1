import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { noTerminal } from "../support/terminal.ts";
import { CLEARED_LINE } from "../../src/cli/terminal/terminal.ts";
import { SMALL_WORLD } from "../support/program.ts";
import { anp, anpInTerminal, REPEATABLE, spawnInTerminal } from "./anp.ts";

const DEMO = ["--demo", ...REPEATABLE];
const ENTER = "\r";

describe.skipIf(noTerminal !== undefined)("in a terminal", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let cwd: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    cwd = folder.path;
    expect((await anp(["exchange", "alice", "1.5", "--yes", ...DEMO], { cwd })).code).toBe(0);
    const questioned = await anp(["points", "adjust", "bob", "7", "--reason", "测试", "--yes", ...DEMO], { cwd });
    expect(questioned.code).toBe(0);
  });

  afterAll(() => folder.remove());

  it("shows a table with aligned columns, also with wide characters", async () => {
    const { code, screen } = await spawnInTerminal(["ledger", "alice", "--no-color", ...DEMO], {
      cwd,
      env: { TZ: "Asia/Shanghai" },
      columns: 120,
    });
    expect(code).toBe(0);
    expect(screen).toMatchInlineSnapshot(`
      "ID  CREATED AT +08:00    AGE  TYPE      DELTA  BALANCE  DESCRIPTION               REF
       1  2026-11-20 08:00:00  now  exchange    +15       15  兑换 1.5 个代币，汇率 10  r0mwo7pxc0lhh
      Totals by type and day: anp ledger summary alice
      "
    `);
    const news = await anpInTerminal(["news", "hot", "--limit", "8", "--no-color", ...DEMO], { cwd, columns: 90 });
    const lines = news.screen.split("\n").slice(0, 9);
    const title = lines[0]!.indexOf("TITLE");
    for (const line of lines.slice(1)) {
      expect(columnsOf(line), line).toBeLessThanOrEqual(90);
      expect(columnsOf(line.slice(0, indexAt(line, title))), line).toBe(title);
    }
  });

  it("shows each row as a record where the terminal is too narrow for a table, and only there", async () => {
    const narrow = async (args: string[]) =>
      (await anpInTerminal([...args, "--no-color", ...DEMO], { cwd, columns: 50 })).screen;
    expect(await narrow(["ledger", "alice"])).toMatchInlineSnapshot(`
      "id                 1
      created at +08:00  2026-11-20 08:00:00
      age                now
      type               exchange
      delta              +15
      balance            15
      description        兑换 1.5 个代币，汇率 10
      ref                r0mwo7pxc0lhh
      Totals by type and day: anp ledger summary alice
      "
    `);
    const topics = await narrow(["news", "hot", "--limit", "2"]);
    expect(topics.match(/^title .*\S$/gm)).toHaveLength(2);
    expect(topics.match(/^$/gm)).toHaveLength(2);
    expect(await narrow(["subscription", "show", "alice", "--json"])).toMatch(/^\{\n/);
    expect(await narrow(["ledger", "alice", "--format", "tsv"])).toMatch(/^id\t/);
    const piped = await anp(["ledger", "alice", "--format", "table", "--wide", ...DEMO], { cwd });
    expect(piped.stdout).toMatch(/^ID {2}/);
  });

  it("uses colour by precedence: --no-color > NO_COLOR > FORCE_COLOR > terminal", async () => {
    const coloured = async (args: string[], env: NodeJS.ProcessEnv): Promise<boolean> =>
      (await anpInTerminal(["quota", "alice", ...args, ...DEMO], { cwd, env })).screen.includes("\u001b[1m");
    expect(await coloured([], {})).toBe(true);
    expect(await coloured([], { FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(false);
    expect(await coloured(["--no-color"], { FORCE_COLOR: "1" })).toBe(false);
    expect(await coloured([], { FORCE_COLOR: "0" })).toBe(false);
    const piped = await anp(["quota", "alice", "--format", "table", ...DEMO], { cwd, env: { FORCE_COLOR: "1" } });
    expect(piped.stdout).toContain("\u001b[1m");
  });

  it("shows an answer, its sources and its cost", async () => {
    const { code, screen } = await anpInTerminal(
      ["ask", "提现手续费是多少？", "--user", "demo", "--no-color", ...DEMO],
      { cwd },
    );
    expect(code).toBe(0);
    expect(screen).toMatch(/USDT[^]*\n\n\[1\] .*\n\n0 points, 100000 left · help\/withdrawal · session \d+\n$/);
  });

  it("clears the line of progress before rows are drawn on the same screen", async () => {
    const { code, screen } = await anpInTerminal(["ledger", "search", "--type", "adjust", "--no-color", ...DEMO], {
      cwd,
    });
    expect(code).toBe(0);
    expect(screen).toContain(`4 of 4 users searched, 100 %, 0 s left${CLEARED_LINE}USER ID`);
  });

  it("shows the times of an account in the zone of the quota, whatever is done with it", async () => {
    const shown = async (...args: string[]) => (await anpInTerminal([...args, "--no-color", ...DEMO], { cwd })).screen;
    expect(await shown("users", "create", "zed")).toMatch(
      /^created_at +2026-11-20 08:00:00 \+08:00$[^]*^next_reset_at +2026-11-21 00:00:00 \+08:00 \(in 16 h\)$/m,
    );
    const { stdout } = await anp(["tokens", "issue", "zed", "--expires", "30d", "--json", ...DEMO], { cwd });
    const { id } = JSON.parse(stdout) as { id: string };
    expect(await shown("tokens", "revoke", id, "--yes")).toMatch(
      /^expires_at +2026-12-20 08:00:00 \+08:00\nrevoked_at +2026-11-20 08:00:00 \+08:00$/m,
    );
    expect(await shown("users", "erase", "zed", "--reason", "r", "--yes")).toMatch(
      /^at +2026-11-20 08:00:00 \+08:00$/m,
    );
    const list = await shown("users", "list");
    expect(list).toMatch(/ CREATED AT \+08:00 +ERASED AT \+08:00\n/);
    expect(list).toMatch(/^zed .* 2026-11-20 08:00:00 +2026-11-20 08:00:00$/m);
    expect(list).toMatch(/^alice .* 2026-11-20 08:00:00$/m);
  });

  it("prompts for a missing value until it is valid, then for confirmation", async () => {
    const { code, screen } = await spawnInTerminal(["points", "adjust", "bob", "-2", ...DEMO], {
      cwd,
      steps: [
        { on: "reason (up to 200 characters)", type: ` ${ENTER}` },
        { on: "must not be empty", type: `paid twice${ENTER}` },
        { on: "Take 2 points from bob (7 → 5)?", type: `y${ENTER}` },
      ],
    });
    expect(code, screen).toBe(0);
    expect(screen).toContain("paid twice");
    expect((await anp(["quota", "bob", ...DEMO], { cwd })).stdout).toContain("\nbob\t5\t");
  });

  it("changes nothing when the answer is no, and exits 1", async () => {
    for (const [args, question] of [
      [["points", "adjust", "bob", "-2", "--reason", "x"], "Take 2 points"],
      [["exchange", "bob", "1"], "Exchange 1 of bob"],
      [["subscription", "set", "bob", "--plan", "pro"], "Set the plan of bob to pro"],
      [["tokens", "revoke", "bob-token"], "(fixture demo) of bob?"],
    ] as const) {
      const { code, screen } = await anpInTerminal([...args, ...DEMO], { cwd, steps: [{ on: question, type: ENTER }] });
      expect([code, screen]).toEqual([1, expect.stringContaining("Nothing was changed.")]);
    }
    expect((await anp(["users", "show", "bob", "--json", ...DEMO], { cwd })).stdout).toMatch(
      /"balance": 5,[^]*"plan": "free"/,
    );
    expect((await anp(["tokens", "list", "bob", ...DEMO], { cwd })).stdout).toMatch(/\tactive\n$/);
  });

  it("shows a daemon's address, tokens and log as lines to read, until Ctrl-C", async () => {
    const { code, screen } = await spawnInTerminal(["serve", ...SMALL_WORLD, ...REPEATABLE, "--port", "0"], {
      cwd,
      steps: [{ on: "/api/v1/ai/me", type: "\u0003" }],
    });
    const [, url] = /^anp listens on (\S+)$/m.exec(screen)!;
    expect(screen).toContain(`\nin a browser: ${url}/ and ${url}/docs\n`);
    expect(screen).toContain(`\n  alice  alice-token\n`);
    expect(code, screen).toBe(0);
    expect(screen).toMatch(/00:00:00 info draining signal=SIGINT /);
    expect(screen).not.toContain("{");
  });

  it("exits 130 when a prompt is interrupted", async () => {
    const { code } = await anpInTerminal(["exchange", "bob", "1", ...DEMO], {
      cwd,
      steps: [{ on: "Exchange 1 of bob", type: "\u0003" }],
    });
    expect(code).toBe(130);
  });

  it("does not prompt with --yes, --no-input or in CI", async () => {
    expect((await anpInTerminal(["exchange", "bob", "1", "--yes", ...DEMO], { cwd })).code).toBe(0);
    const refused = await anpInTerminal(["exchange", "bob", "1", "--no-input", ...DEMO], { cwd });
    expect([refused.code, refused.screen]).toEqual([2, expect.stringContaining("confirm with --yes")]);
    const ci = await anpInTerminal(["quota", ...DEMO], { cwd, env: { CI: "true" } });
    expect([ci.code, ci.screen]).toEqual([2, expect.stringContaining("USER is missing")]);
  });
});

/** Columns that a text takes, by a rule of this test's own. */
function columnsOf(text: string): number {
  return Array.from(text).reduce((sum, char) => sum + (/[\u2e80-\u9fff\uff00-\uff60]/.test(char) ? 2 : 1), 0);
}

/** Index of the character that starts at a column. */
function indexAt(text: string, column: number): number {
  let index = 0;
  while (index < text.length && columnsOf(text.slice(0, index)) < column) index += 1;
  return index;
}
