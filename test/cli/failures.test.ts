import { mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reportOf } from "../../src/cli/framework/error-to-exit-code.ts";
import { AnpError } from "../../src/contract/errors.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fillLedgers } from "../support/ledgers.ts";
import { anp, REPEATABLE } from "./anp.ts";
import { contentOf } from "./content-of.ts";
import { SMALL_WORLD } from "../support/program.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  const { code, stderr } = await anp(["users", "list", ...SMALL_WORLD, ...REPEATABLE], { cwd: folder.path });
  expect(code, stderr).toBe(0);
});

afterAll(() => folder.remove());

/** What is typed, the exit code, and what stderr says. */
const FAILURES: readonly (readonly [args: readonly string[], code: number, says: string])[] = [
  [["ledgr"], 2, "Did you mean ledger?"],
  [["points", "adjst"], 2, "Did you mean adjust?"],
  [["points"], 2, "Usage: anp points"],
  [["--bogus"], 2, "unknown option '--bogus'"],
  [["quota", "alice", "--jsn"], 2, "unknown option '--jsn'"],
  [["quota", "alice", "bob"], 2, "too many arguments: bob.\n"],
  [
    ["quota", "alice", "--", "--json"],
    2,
    "too many arguments: --json. Words after -- are arguments: put --json before",
  ],
  [["subscription", "set", "alice", "pro"], 2, "too many arguments: pro. Give it by its name: --plan pro.\n"],
  [["ledger", "alice", "--follow", "--limit", "1"], 2, "--limit cannot be used with --follow: give --tail.\n"],
  [["quota"], 2, "USER is missing"],
  [["ask", "hello"], 2, "--user is missing"],
  [["ask", "x".repeat(2001), "--user", "alice"], 2, "QUESTION must have at most 2000 characters"],
  [["ask", "hello", "--user", "alice", "--session", "0"], 2, "--session must be an integer of at least 1, not 0"],
  [["ask", "hello", "--user", "alice", "--token-symbol", "x".repeat(17)], 2, "--token-symbol must have at most 16"],
  [["ledger", "alice", "--page", "0", "--page-size", "101"], 2, "--page must be an integer of at least 1, not 0"],
  [["ledger", "verify", "alice", "--all"], 2, "exclude each other"],
  [["ledger", "export", "--format", "table"], 2, "--format must be jsonl or json or csv or tsv"],
  [["exchange", "alice", "0"], 2, "AMOUNT must be a number greater than 0"],
  [["exchange", "alice", "0.01", "--yes"], 1, "earns less than 1 point"],
  [["exchange", "alice", "1234567890123456", "--yes"], 2, "AMOUNT must have at most 15 significant digits."],
  [["points", "adjust", "alice", "0", "--reason", "x"], 2, "DELTA must not be 0"],
  [["points", "adjust", "alice", "5"], 2, "--reason is missing"],
  [["points", "adjust", "alice", "-1", "--reason", "x", "--yes"], 3, "Insufficient points"],
  [["ask", "提现手续费是多少？", "--user", "bob"], 3, "Insufficient points"],
  [["quota", "nobody"], 5, "User nobody is not known.\n`anp users list` shows the users.\n"],
  [["quota", "alice-tok"], 5, "User alice-tok is not known"],
  [["quota", "anp_abc"], 5, "User anp_abc is not known; the beginning of a token needs 8 characters"],
  [["ledger", "nobody"], 5, "User nobody is not known"],
  [["subscription", "show", "nobody"], 5, "User nobody is not known"],
  [["tokens", "issue", "nobody"], 5, "User nobody is not known"],
  [["tokens", "revoke", "0000000000000000"], 5, "No such token"],
  [["users", "create", "alice"], 1, "User alice already exists"],
  [["users", "create", "eve", "--lang", "fr"], 2, "--lang must be one of zh, en"],
  [["subscription", "set", "alice", "--plan", "gold"], 2, "--plan must be one of free, pro"],
  [
    ["subscription", "set", "alice", "--plan", "pro", "--expires", "2020-01-01T00:00:00Z"],
    2,
    "--expires must be in the future",
  ],
  [["news", "hot", "--hours", "721"], 2, "--hours must be an integer from 1 to 720, not 721"],
  [["news", "refresh", "--mode", "half"], 2, "--mode must be one of view, full"],
  [["events", "stats", "--from", "2026-11-20", "--to", "2026-11-19"], 2, "--from must not be after --to"],
  [["events", "replay", "missing.ndjson"], 2, "FILE missing.ndjson cannot be read"],
  [["events", "replay", "."], 2, "it is a folder"],
  [["quota", "alice", "--format", "xml"], 2, "--format must be one of table, tsv, json, jsonl, csv"],
  [["quota", "alice", "--json", "--format", "csv"], 2, "--json and --format exclude each other"],
  [["quota", "alice", "--config", "a.yaml"], 2, "--fixtures and --config exclude each other"],
  [["serve", "--port", "65536"], 2, "--port must be an integer from 0 to 65535"],
  [
    ["serve", "--fault", "model=foo"],
    2,
    '--fault must be model=KIND with a KIND of timeout or error or refused or empty, not "model=foo".\nSee ',
  ],
  [["serve", "--log-level", "loud"], 2, "--log-level must be one of"],
];

it("ends with its exit code, the flag's name on stderr, nothing on stdout, and nothing written", async () => {
  const before = await contentOf(folder.path);
  const wrong: unknown[] = [];
  const queue = [...FAILURES];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [args, code, says] = next;
      const ended = await anp([...args, ...SMALL_WORLD, ...REPEATABLE], { cwd: folder.path });
      if (ended.code !== code || !ended.stderr.includes(says) || ended.stdout !== "")
        wrong.push({ args, says, ...ended });
    }
  };
  await Promise.all([work(), work(), work()]);
  expect(wrong).toEqual([]);
  // An answer that could not be paid is kept, unseen by anybody; nothing else is.
  expect((await contentOf(folder.path)).filter((line) => !line.startsWith(".anp/small/messages/"))).toEqual(before);
});

it("prints a message that has the bound without further advice", async () => {
  const { stderr } = await anp(["exchange", "alice", "0.01", "--yes", ...SMALL_WORLD], { cwd: folder.path });
  expect(stderr).toBe("error: token_amount 0.01 earns less than 1 point at rate 10.\n");
});

it("reports a bad --now as a usage error", async () => {
  for (const [now, says] of [
    ["yesterday", "--now must be an ISO 8601 instant"],
    ["9999-01-01T00:00:00Z", "--now must be an ISO 8601 instant of 1970 to 9998 with an offset, as"],
    ["1969-12-31T23:59:59Z", "--now must be an ISO 8601 instant of 1970 to 9998 with an offset, as"],
  ] as const) {
    const { code, stderr } = await anp(["users", "list", "--now", now], { cwd: folder.path });
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  }
});

it("reports an unknown configuration key, and exits 2", async () => {
  await writeFile(join(folder.path, "bad.yaml"), "servr: 1\n");
  const { code, stderr } = await anp(["users", "list", "--config", "bad.yaml"], { cwd: folder.path });
  expect([code, stderr]).toEqual([2, expect.stringContaining("servr: is not a known key")]);
});

it("exits 2 for an unsupported storage URL, and 6 when the storage cannot be reached", async () => {
  await writeFile(join(folder.path, "file"), "");
  const unknown = await anp(["users", "list", "--storage", "s3:bucket"], { cwd: folder.path });
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('"s3:bucket" is not understood')]);
  const blocked = await anp(["users", "create", "eve", "--storage", "fs:file/below"], { cwd: folder.path });
  expect([blocked.code, blocked.stderr]).toEqual([6, expect.stringContaining("ENOTDIR")]);
});

it("writes nothing when a command only reads a storage", async () => {
  for (const args of [
    ["users", "list"],
    ["news", "hot"],
    ["news", "status"],
    ["hot-topics"],
    ["ledger", "verify"],
    ["events", "stats"],
  ]) {
    await mkdir(join(folder.path, "untouched"), { recursive: true });
    const { code, stderr } = await anp([...args, "--storage", "fs:untouched"], { cwd: folder.path });
    expect(code, stderr).toBe(0);
  }
  expect(await readdir(join(folder.path, "untouched"))).toEqual([]);
});

it("treats a missing storage as a mistyped name, and creates none", async () => {
  for (const args of [
    ["users", "list"],
    ["ledger", "verify", "--all"],
    ["quota", "alice"],
    ["exchange", "alice", "1"],
  ]) {
    const { code, stdout, stderr } = await anp([...args, "--storage", "fs:mistyped"], { cwd: folder.path });
    expect([code, stdout]).toEqual([6, ""]);
    expect(stderr).toContain(`There is no storage at ${join(folder.path, "mistyped")}.`);
  }
  expect(await readdir(folder.path)).not.toContain("mistyped");
});

it("does not start a daemon on a storage that cannot be written", async () => {
  await writeFile(join(folder.path, "a-file"), "");
  const { code, stderr } = await anp(["serve", "--storage", "fs:a-file", "--port", "0"], { cwd: folder.path });
  expect([code, stderr.trimEnd().split("\n")]).toEqual([
    6,
    [expect.stringMatching(/^error: The storage cannot be used: ENOTDIR/), expect.stringMatching(/^Check --storage, /)],
  ]);
});

it("says that the storage cannot be read, not which value of it", async () => {
  await mkdir(join(folder.path, "loop"));
  await symlink("import", join(folder.path, "loop/import"));
  const read = async (...args: string[]) => (await anp([...args, "--storage", "fs:loop"], { cwd: folder.path })).stderr;
  expect(await read("quota", "alice")).toMatch(/^error: Cannot read the storage: ELOOP: .*\nCheck --storage, /);
  expect(await read("serve", "--port", "0")).toMatch(
    /^error: The storage cannot be used: ELOOP: [^\n]*\nCheck --storage, [^\n]*\.\n$/,
  );
});

it("reports on stderr that nothing was found, and exits 0", async () => {
  await mkdir(join(folder.path, "none"), { recursive: true });
  const { code, stdout, stderr } = await anp(["users", "list", "--storage", "fs:none", "--json"], { cwd: folder.path });
  expect([code, stdout, stderr]).toEqual([0, "[]\n", expect.stringContaining("There are no users.")]);
});

it("names the first wrong entry of a ledger, and exits 1", async () => {
  const { path, remove } = await temporaryFolder();
  for (const amount of ["1", "2", "3"])
    await anp(["exchange", "alice", amount, "--yes", ...SMALL_WORLD], { cwd: path });
  const second = join(path, ".anp/small/users/alice/ledger/0/2.json");
  const files = await contentOf(path);
  expect(files.some((line) => line.startsWith(".anp/small/users/alice/ledger/0/2"))).toBe(true);
  await writeFile(second, (await readFile(second, "utf8")).replace('"delta":20', '"delta":21'));
  const verified = await anp(["ledger", "verify", ...SMALL_WORLD], { cwd: path });
  expect(verified.code).toBe(1);
  expect(verified.stdout).toContain("alice\t1\t10\tfault\t2\t");
  expect(verified.stdout).toContain("carol\t1\t1000\tok\t\t\n");
  expect(verified.stderr).toContain("alice: entry 2: ");
  const lines = await anp(["ledger", "verify", ...SMALL_WORLD, "--format", "jsonl"], { cwd: path });
  expect(JSON.parse(lines.stdout.split("\n")[0]!)).toMatchObject({ user_id: "alice", fault: { entry: 2 } });
  await rm(second);
  await writeFile(second, "{");
  const listed = await anp(["ledger", "alice", ...SMALL_WORLD], { cwd: path });
  expect([listed.code, listed.stderr]).toEqual([1, expect.stringContaining("users/alice/ledger/0/2")]);
  await remove();
});

it("exits 8 when lines of a replay are rejected, and lists them", async () => {
  const event = '{"event_type":"page_view","user_id":"u-1","created_at":"2026-11-19T00:00:00Z"}';
  const { code, stdout, stderr } = await anp(["events", "replay", "-", "--storage", "memory:"], {
    cwd: folder.path,
    input: `${event}\r\nnonsense\n\n${event}`,
  });
  expect([code, stdout]).toEqual([8, "read\tstored\tskipped\trejected_total\n3\t2\t0\t1\n"]);
  expect(stderr).toContain("line 2: not JSON");
});

it("exits 8 when some of the sources fail, and 6 when all do", async () => {
  const config = join(folder.path, "news.yaml");
  const source = (id: string, url: string): string => `{ id: ${id}, name: ${id}, lang: en, url: ${url} }`;
  await writeFile(
    join(folder.path, "feed.json"),
    '{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[{"id":"1","title":"Ferries return"}]}',
  );
  await writeFile(config, `news: { sources: [${source("good", "feed.json")}, ${source("gone", "gone.json")}] }`);
  const part = await anp(["news", "refresh", "--config", config, "--storage", "memory:"], { cwd: folder.path });
  expect([part.code, part.stderr]).toEqual([8, expect.stringContaining("gone: ")]);
  await writeFile(config, `news: { sources: [${source("gone", "gone.json")}] }`);
  const none = await anp(["news", "refresh", "--config", config, "--storage", "memory:"], { cwd: folder.path });
  expect([none.code, none.stderr]).toEqual([6, expect.stringContaining("1 of 1 sources failed")]);
});

it("says that the content of a failed source stays only where it has some", async () => {
  const config = join(folder.path, "stays.yaml");
  await writeFile(config, "storage: fs:stays\nnews: { sources: [{ id: wire, name: W, lang: en, url: wire.json }] }");
  const refresh = async () => (await anp(["news", "refresh", "--config", config], { cwd: folder.path })).stderr;
  expect(await refresh()).toContain("the news source wire failed\n");
  const items = [{ id: "1", title: "Ferries return", date_published: new Date().toISOString() }];
  await writeFile(join(folder.path, "wire.json"), JSON.stringify({ title: "wire", items }));
  await refresh();
  await writeFile(join(folder.path, "wire.json"), "<html>");
  expect(await refresh()).toContain("the news source wire failed; its last good content stays\n");
});

it("refreshes with an empty feed, which is a state and no failure; what it had stays", async () => {
  const config = join(folder.path, "empty.yaml");
  const source = (id: string): string => `{ id: ${id}, name: ${id}, lang: en, url: ${id}.json }`;
  await writeFile(config, `storage: fs:empty\nnews: { sources: [${source("quiet")}, ${source("wire")}] }`);
  const write = (id: string, ...titles: string[]) => {
    const items = titles.map((title) => ({ id: title, title, date_published: new Date().toISOString() }));
    return writeFile(join(folder.path, `${id}.json`), JSON.stringify({ title: id, items }));
  };
  const news = (verb: string) => anp(["news", verb, "--config", config, "--json"], { cwd: folder.path });
  const states = async () =>
    JSON.parse((await news("status")).stdout) as Record<string, unknown>[] | { sources: Record<string, unknown>[] };
  await write("quiet");
  await write("wire", "Ferries return");
  expect(await news("refresh")).toMatchObject({ code: 0, stderr: "1 source is empty: quiet. What it had stays.\n" });
  const reason = "the feed has no entries";
  expect(await states()).toMatchObject({
    sources: [
      { state: "empty", ok: true, items: 0, failures: 0, next_try_at: null, last_error: reason },
      { state: "ok", items: 1 },
    ],
  });
  await write("wire");
  const stderr = "2 sources are empty: quiet, wire. What they had stays.\n";
  for (let times = 0; times < 3; times++) expect(await news("refresh")).toMatchObject({ code: 0, stderr });
  expect(await states()).toMatchObject({
    sources: [{}, { state: "empty", items: 1, failures: 0, last_error: reason }],
  });
  await write("quiet", "Museum opens");
  await write("wire", "Ferries return");
  expect(await news("refresh")).toMatchObject({ code: 0, stderr: "" });
  expect(await states()).toMatchObject({ sources: [{ state: "ok", items: 1, last_error: null }, { state: "ok" }] });
});

it("shows the stack of an unexpected error only with --verbose", async () => {
  const args = ["users", "list", "--storage", "s3:bucket"];
  expect((await anp(args, { cwd: folder.path })).stderr).not.toContain("    at ");
  expect((await anp([...args, "--verbose"], { cwd: folder.path })).stderr).toContain("    at ");
  expect((await anp(args, { cwd: folder.path, env: { ANP_DEBUG: "1" } })).stderr).toContain("    at ");
});

it("says how long to wait, and what checks the audit log where that is damaged", async () => {
  const invocation = { path: "anp users list", fields: {}, verbose: false, exit: 0 } as const;
  const locked = new AnpError(429, "Too many calls.", { headers: { "retry-after": "42" } });
  expect(reportOf(locked, invocation).lines).toEqual(["error: Too many calls.", "Wait for 42 s, then retry."]);
  const own = await temporaryFolder();
  const run = (...args: string[]) => anp([...args, "--storage", "fs:data"], { cwd: own.path });
  await run("operators", "add", "mei", "--role", "support");
  await writeFile(join(own.path, "data/audit/log/0/1.json"), "{");
  const { code, stderr } = await run("audit", "list");
  expect([code, stderr]).toEqual([1, expect.stringContaining("`anp audit verify`")]);
  await own.remove();
});

it("lists a ledger's entries down to a damaged one, and names its key", async () => {
  const own = await temporaryFolder();
  const storage = await openStorage(`fs:${join(own.path, "data")}`);
  await fillLedgers(storage, 130);
  await storage.close();
  const damaged = join(own.path, "data/users/alice/ledger/0/90.json");
  await writeFile(damaged, (await readFile(damaged, "utf8")).replace('"description":"', '"description":"x'));
  const { code, stdout, stderr } = await anp(["ledger", "alice", "--all", "--storage", "fs:data"], { cwd: own.path });
  expect(code).toBe(1);
  expect(
    stdout
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => Number(line.split("\t")[0])),
  ).toEqual(Array.from({ length: 40 }, (_, index) => 130 - index));
  expect(stderr).toContain("users/alice/ledger/0/90");
  await own.remove();
});

it("does not load the demo into a storage that has other data, and writes nothing there", async () => {
  const cwd = join(folder.path, "real");
  await mkdir(cwd);
  const storage = ["--storage", "fs:./real"];
  expect((await anp(["users", "create", "alice", ...storage], { cwd })).code).toBe(0);
  const files = () => readdir(join(cwd, "real"), { recursive: true });
  const before = await files();
  for (const args of [
    ["quota", "alice"],
    ["serve", "--port", "0"],
    ["ask", "hello", "--user", "alice"],
  ]) {
    const refused = await anp([...args, "--demo"], { cwd, env: { ANP_STORAGE: "fs:./real" } });
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("error: fs:./real has data, but not the fixture demo.");
    expect(refused.stderr).toContain("name an empty storage with --storage");
  }
  expect(await files()).toEqual(before);
});

it("finishes a demo world whose making was interrupted", async () => {
  const cwd = join(folder.path, "part");
  await mkdir(cwd);
  const part = await openStorage("fs:./part", { cwd });
  await part.create(["ready", "identity"], '{"id":"x"}');
  await part.create(["fixtures", "demo"], '{"moved_by_ms":0}');
  await part.create(["events", "x"], "{}");
  await part.close();
  const { code, stdout, stderr } = await anp(["quota", "demo", "--demo", "--storage", "fs:./part"], { cwd });
  expect([code, stderr]).toEqual([0, expect.stringContaining("The fixture demo is not loaded yet: loading it")]);
  expect(stdout).toContain("9999");
});
