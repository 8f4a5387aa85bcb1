import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkStorageRisks } from "../../src/daemon/storage-risks.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { lastUseFinding } from "../../src/storage/health/last-use.ts";
import { temporaryFolder } from "../support/folder.ts";
import { anp, serveHere } from "./anp.ts";

let cwd: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ path: cwd, remove } = await temporaryFolder());
});

afterEach(() => remove());

const DATA = ["--storage", "fs:data"];

async function run(...args: string[]): Promise<{ code: number | null; output: unknown; stderr: string }> {
  const { code, stdout, stderr } = await anp([...args, ...DATA, "--json"], { cwd });
  return { code, output: stdout === "" ? undefined : JSON.parse(stdout), stderr };
}

it("shows the identity, refuses a storage with another one or none, and gives it the expected one on purpose", async () => {
  expect((await run("users", "list")).code).toBe(6);
  await mkdir(join(cwd, "data"));
  expect((await run("storage", "info")).output).toMatchObject({ identity: null, expected: null });
  const refused = await run("serve", "--port", "0", "--storage-id", "mine");
  expect([refused.code, refused.stderr]).toEqual([
    6,
    expect.stringMatching(
      /^error: The storage at fs:data should have the identity mine, but has none.*\n.*`anp storage accept`/,
    ),
  ]);
  expect((await run("storage", "accept", "--storage-id", "mine")).code).toBe(2);
  const accepted = await run("storage", "accept", "--storage-id", "mine", "--yes");
  expect(accepted).toMatchObject({ code: 0, output: { before: null, identity: "mine" } });
  expect((await run("storage", "info")).output).toMatchObject({ identity: "mine", marks: 1, marks_missing: 0 });
  expect((await run("users", "list", "--storage-id", "mine")).code).toBe(0);
  expect((await run("users", "list", "--storage-id", "another")).code).toBe(6);
  expect((await anp(["users", "list", ...DATA], { cwd, env: { ANP_STORAGE_ID: "another" } })).code).toBe(6);
  const doctor = await run("doctor", "--storage-id", "another");
  expect(doctor.output).toContainEqual(
    expect.objectContaining({ check: "storage", subject: "identity", level: "error" }),
  );
});

it("does not serve on a folder that it cannot write as the ledger needs it", async () => {
  const { code, stderr } = await anp(["serve", "--port", "0", "--storage", "fs:/proc/nope"], { cwd });
  expect([code, stderr]).toEqual([6, expect.stringContaining("error: The storage cannot be used: ")]);
  const memory = await openStorage("memory:");
  const unusable = { level: "error", subject: "files", message: "No links.", remedy: "Use others.", unusable: true };
  const storage = { ...memory, examine: () => Promise.resolve([unusable as never]) };
  const probe = (): Promise<void> => Promise.resolve();
  const checked = checkStorageRisks(storage, { logger: silentLogger, now: () => 0, required: false, probe });
  await expect(checked).rejects.toThrow("memory: cannot be used: No links. Use others.");
});

it("does not serve with a clock that is far from the last use of the storage, until that is accepted", async () => {
  await mkdir(join(cwd, "data"));
  const storage = await openStorage(`fs:${join(cwd, "data")}`);
  const used = async (at: number): Promise<void> => {
    await storage.put(["ready", "probe"], JSON.stringify({ at: new Date(at).toISOString() }));
  };
  const now = Date.now();
  for (const [at, says] of [
    [now + 3 * 86_400_000, "more than a day behind the last use of this storage"],
    [now - 1000 * 86_400_000, "more than a year ahead of the last use of this storage"],
  ] as const) {
    await used(at);
    const { code, stderr } = await run("serve", "--port", "0");
    expect([code, stderr]).toEqual([6, expect.stringContaining(says)]);
    const { output } = await run("doctor");
    expect(output).toContainEqual(expect.objectContaining({ subject: "last use", level: "error" }));
  }
  expect((await run("storage", "accept", "--yes")).code).toBe(0);
  const { output } = await run("doctor");
  expect(output).toContainEqual(expect.objectContaining({ subject: "last use", level: "ok" }));
});

it("writes nothing by a command whose clock is far from the last use of the storage, and reads", async () => {
  expect((await run("users", "create", "alice", "--quota", "3")).code).toBe(0);
  const storage = await openStorage(`fs:${join(cwd, "data")}`);
  for (const away of [10 * 86_400_000, -1000 * 86_400_000]) {
    const noted = JSON.stringify({ at: new Date(Date.now() + away).toISOString() });
    await storage.put(["ready", "probe"], noted);
    for (const command of [
      ["points", "adjust", "alice", "5", "--reason", "x", "--yes"],
      ["exchange", "alice", "5", "--yes"],
      ["ask", "hello", "--user", "alice"],
      ["users", "create", "bob"],
    ])
      expect(await run(...command)).toMatchObject({
        code: 6,
        output: undefined,
        stderr: expect.stringMatching(
          /^error: The clock shows .* the last use .*\n.*Set the machine's clock.*accept/,
        ) as string,
      });
    expect(await storage.get(["ready", "probe"])).toBe(noted);
    expect(await run("quota", "alice")).toMatchObject({ code: 0, output: { balance_points: 0 } });
    expect((await run("users", "list")).output).toHaveLength(1);
  }
  expect((await run("storage", "accept", "--yes")).code).toBe(0);
  expect((await run("points", "adjust", "alice", "5", "--reason", "x", "--yes")).code).toBe(0);
});

it("reports a storage with an expected identity whose folder is missing, and creates none", async () => {
  const doctor = await run("doctor", "--storage-id", "mine");
  expect(doctor.code).toBe(6);
  const remedy = expect.stringMatching(/bring it back \(its folder, its mount\)/) as string;
  expect(doctor.output).toContainEqual(expect.objectContaining({ subject: "address", level: "error", remedy }));
  for (const command of [
    ["serve", "--port", "0"],
    ["users", "create", "alice"],
  ]) {
    const { code, stderr } = await run(...command, "--storage-id", "mine");
    expect([code, stderr]).toEqual([6, expect.stringMatching(/^error: There is no storage at .*\n.*bring it back/)]);
    expect(stderr).not.toContain("accept");
  }
  expect(existsSync(join(cwd, "data"))).toBe(false);
});

describe("a --now that is far from the last use of a storage", () => {
  const far = ["2026-11-01T00:00:00Z", "2199-01-01T00:00:00Z"];
  const use = async (at: string): Promise<void> => {
    await mkdir(join(cwd, "data"), { recursive: true });
    await (await openStorage(`fs:${join(cwd, "data")}`)).put(["ready", "probe"], JSON.stringify({ at }));
  };

  it.each(far)("writes nothing, %s", async (now) => {
    expect((await run("users", "create", "alice")).code).toBe(0);
    await use("2026-12-01T00:00:00.000Z");
    const wrong = expect.stringMatching(
      /^error: --now is .* the last use of this storage, 2026-12-01T00.*\n.*--now/,
    ) as string;
    for (const command of [
      ["serve", "--port", "0"],
      ["points", "adjust", "alice", "5", "--reason", "x", "--yes"],
    ])
      expect(await run(...command, "--now", now)).toMatchObject({ code: 6, stderr: wrong });
    expect(await run("quota", "alice", "--now", now)).toMatchObject({ code: 0, output: { balance_points: 0 } });
    const near = ["--now", "2026-12-02T00:00:00Z", "--reason", "x", "--yes"];
    expect((await run("points", "adjust", "alice", "5", ...near)).code).toBe(0);
  });

  it("writes nothing to a storage that only commands have used", async () => {
    const create = (user: string, ...more: string[]) => run("users", "create", user, "--quota", "1", ...more);
    for (const user of ["early", "earlier"]) expect((await create(user, "--now", "2026-11-01T00:00:00Z")).code).toBe(0); // It is no use of the storage.
    expect((await create("alice")).code).toBe(0);
    for (const now of ["2001-01-01T00:00:00Z", "2199-01-01T00:00:00Z"]) {
      const refused = { code: 6, stderr: expect.stringContaining("the last use of this storage") as string };
      expect(await run("ask", "hello", "--user", "alice", "--now", now)).toMatchObject(refused);
      expect(await create("bob", "--now", now)).toMatchObject(refused);
      expect((await run("quota", "alice", "--now", now)).code).toBe(0);
    }
  });

  it("notes a command's use once an hour, when it writes, and never an earlier time than is noted", async () => {
    const file = join(cwd, "data/ready/probe.json");
    const noted = async (): Promise<number> => {
      return Date.parse((JSON.parse(await readFile(file, "utf8")) as { at: string }).at);
    };
    const began = Date.now();
    expect((await run("users", "create", "alice")).code).toBe(0);
    expect(await noted()).toBeGreaterThanOrEqual(began);
    for (const [before, isKept] of [
      [began - 1_800_000, true],
      [began + 86_400_000, true],
      [began - 3_700_000, false],
    ] as const) {
      await use(new Date(before).toISOString());
      expect((await run("ledger", "alice")).code).toBe(0);
      expect(await noted()).toBe(before);
      expect((await run("points", "adjust", "alice", "5", "--reason", "x", "--yes")).code).toBe(0);
      expect((await noted()) === before).toBe(isKept);
    }
  });

  it("is no use of a storage itself", async () => {
    for (let times = 0; times < 2; times++) {
      const { url, end } = await serveHere([...DATA, "--now", "2199-01-01T00:00:00Z"], { cwd });
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect((await end()).code).toBe(0);
    }
    expect((await run("doctor")).output).toContainEqual(
      expect.objectContaining({ subject: "last use", message: expect.stringContaining("No daemon") as string }),
    );
  });
});

it("takes no pause of a service for a wrong clock", async () => {
  const storage = await openStorage("memory:");
  const used = Date.parse("2026-11-20T00:00:00Z");
  await storage.put(["ready", "probe"], JSON.stringify({ at: new Date(used).toISOString() }));
  const day = 86_400_000;
  const findings = (all: readonly number[]) =>
    Promise.all(all.map((days) => lastUseFinding(storage, used + days * day)));
  expect((await findings([366, 300, 7, 0, -1])).map(({ level }) => level)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
  expect((await findings([367, -1.1])).map(({ unusable }) => unusable)).toEqual([true, true]);
});

it("names quota days that a wrong clock left in the future", async () => {
  await anp(
    ["ask", "What are the maker and taker fees?", "--user", "alice", "--now", "2031-01-01T00:00:00Z", "--demo"],
    { cwd },
  );
  const { stdout } = await anp(["doctor", "--demo", "--json"], { cwd, env: { ANP_SERVER_PORT: "0" } });
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({
      subject: "quota days",
      message: expect.stringContaining("alice (2031-01-01)") as string,
    }),
  );
  const { stdout: quota } = await anp(["quota", "alice", "--demo", "--json"], { cwd });
  expect(JSON.parse(quota)).toMatchObject({ free_daily_used: 0 });
});
