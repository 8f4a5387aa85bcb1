import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { createUsers } from "../../src/accounts/users.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { temporaryFolder } from "../support/folder.ts";
import type { Ended } from "../support/program.ts";
import { anp, shell } from "./anp.ts";

const ENTRIES = 300;
const EVENTS = 3000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  const storage = await openStorage(`fs:${join(folder.path, "data")}`);
  const clock = fixedClock(Date.parse("2026-11-20T00:00:00Z"));
  await createUsers({ storage, clock, ttl_ms: 0 }).create("alice", {});
  const ledger = createLedger({ storage, clock, quotaRules: createQuotaRules("+08:00") });
  for (let n = 1; n <= ENTRIES; n++) {
    await ledger.post("alice", {
      operation: { id: `call:${n}`, request: n },
      command: { type: "adjust", delta: 1, reason: "一".repeat(100), actor: "test" },
      ref_id: `r${n}`,
      lang: "zh",
    });
  }
  await storage.close();
  const lines = Array.from({ length: EVENTS }, (_, n) =>
    JSON.stringify({
      event_type: "page_view",
      user_id: `u-${n}`,
      created_at: "2026-11-19T00:00:00Z",
      event_payload: { page: `p${n} ${"x".repeat(100)}` },
    }),
  );
  await writeFile(join(folder.path, "events.ndjson"), lines.join("\n"));
  const { code, stdout } = await anp(["events", "replay", "events.ndjson", "--storage", "fs:data"], {
    cwd: folder.path,
  });
  expect([code, stdout]).toEqual([0, `read\tstored\tskipped\trejected_total\n${EVENTS}\t${EVENTS}\t0\t0\n`]);
});

afterAll(() => folder.remove());

it("writes a long export completely to a slow reader", async () => {
  const line =
    'set -o pipefail; anp ledger export alice --entries --storage fs:data | (read -r first; echo "$first"; exec cat)';
  const { code, stdout, stderr } = await shell(line, folder.path);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.length).toBeGreaterThan(128 * 1024);
  const ids = stdout
    .trimEnd()
    .split("\n")
    .map((text) => (JSON.parse(text) as { id: number }).id);
  expect(ids).toEqual(Array.from({ length: ENTRIES }, (_, index) => index + 1));
});

it("prints a long JSON result completely", async () => {
  const json = await shell("anp ledger export --json --storage fs:data | cat", folder.path);
  expect(JSON.parse(json.stdout)).toHaveLength(ENTRIES);
});

it.for([
  "anp ledger export --storage fs:data | head -n 2",
  "anp events export --storage fs:data | head -n 2",
  "anp openapi | head -n 2",
])("ends quietly when stdout is closed: %s", async (line) => {
  const { stdout, stderr } = await shell(`${line}; echo "\${PIPESTATUS[0]}"`, folder.path);
  expect(stderr).toBe("");
  expect(stdout.split("\n")).toHaveLength(4);
  expect(stdout.endsWith("\n0\n")).toBe(true);
});

it.skipIf(!existsSync("/dev/full"))("reports in one line that the output cannot be written, and exits 1", async () => {
  for (const line of ["anp quota alice --storage fs:data", "anp ledger export --storage fs:data"]) {
    const { code, stderr } = await shell(`${line} > /dev/full`, folder.path);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: The output cannot be written: ENOSPC.* What the command has changed stays changed\.\n$/,
      ),
    ]);
  }
});

async function exported(storage: string): Promise<string> {
  const { code, stdout } = await anp(["events", "export", "--storage", storage], { cwd: folder.path });
  expect(code).toBe(0);
  return stdout;
}

it("replays from a pipe what it exports into a pipe", async () => {
  const line = "anp events export --storage fs:data | anp events replay - --storage fs:copy";
  const { code, stdout, stderr } = await shell(line, folder.path);
  expect([code, stdout, stderr]).toEqual([
    0,
    `read\tstored\tskipped\trejected_total\n${EVENTS}\t${EVENTS}\t0\t0\n`,
    "",
  ]);
  const [one, two] = [await exported("fs:data"), await exported("fs:copy")];
  expect(two).toBe(one);
  expect(two.length).toBeGreaterThan(EVENTS * 200);
});

it("prints only a token's secret on stdout, for a shell to read", async () => {
  const line =
    'TOKEN=$(anp tokens issue alice --label ci --storage fs:data) && echo "$TOKEN" && anp tokens list alice --storage fs:data';
  const { code, stdout, stderr } = await shell(line, folder.path);
  expect(code, stderr).toBe(0);
  const [token, ...list] = stdout.split("\n");
  expect(token).toMatch(/^anp_[\w-]{43}$/);
  expect(list.join("\n")).toMatch(
    /^id\tstart\tlabel\tcreated_at\texpires_at\tstate\n[0-9a-f]{16}\tanp_[\w-]{8}\tci\t\S+\t\tactive\n$/,
  );
  expect(`${stderr}${list.join()}`).not.toContain(token);
});

it("never derives a token from a seed", async () => {
  const secrets = await Promise.all(
    [1, 2].map(() => anp(["tokens", "issue", "alice", "--seed", "x", "--storage", "fs:data"], { cwd: folder.path })),
  );
  expect(secrets[0]!.stdout).not.toBe(secrets[1]!.stdout);
});

it("removes control characters from stored texts", async () => {
  const feed = {
    version: "https://jsonfeed.org/version/1.1",
    title: "t",
    items: [
      {
        id: "1",
        url: "https://a.example/1",
        title: "BTC \u001b[2J\u0007up\u202e 5%",
        date_published: "2026-11-19T23:00:00Z",
      },
    ],
  };
  await writeFile(join(folder.path, "feed.json"), JSON.stringify(feed));
  await writeFile(join(folder.path, "news.yaml"), "news: { sources: [{ id: a, name: A, lang: en, url: feed.json }] }");
  const flags = "--config news.yaml --storage fs:news --now 2026-11-20T00:00:00Z";
  const news = (verb: string): Promise<Ended> => anp(["news", verb, ...flags.split(" ")], { cwd: folder.path });
  expect((await news("refresh")).code).toBe(0);
  const { stdout } = await news("hot");
  expect(stdout).toContain("\tBTC ");
  expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
});
