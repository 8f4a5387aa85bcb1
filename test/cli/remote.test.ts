import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCertificates } from "../support/certificates.ts";
import { temporaryFolder } from "../support/folder.ts";
import { anp, anpInTerminal, each, REPEATABLE, serveHere, spawnAnp, type DaemonHere } from "./anp.ts";
import { SMALL_WORLD, type Ended } from "../support/program.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let cwd: string;
let daemon: DaemonHere;

beforeAll(async () => {
  folder = await temporaryFolder();
  cwd = folder.path;
  daemon = await serveHere(["--demo", ...REPEATABLE, "--log-level", "info"], { cwd });
});

afterAll(async () => {
  await daemon.end();
  await folder.remove();
});

function remote(args: readonly string[], token: string | undefined, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return anp([...args, "--url", daemon.url], {
    cwd,
    env: { ...(token === undefined ? {} : { ANP_TOKEN: token }), ...env },
  });
}

describe("a command on a running daemon", () => {
  it("prints the same, byte for byte, as on the storage", async () => {
    for (const args of [
      ["exchange", "alice", "1.5", "--idempotency-key", "k-1", "--yes"],
      ["ask", "提现手续费是多少？", "--user", "alice", "--idempotency-key", "k-2"],
    ]) {
      const first = await remote(args, "alice-token");
      expect([first.code, first.stderr]).toEqual([0, ""]);
      const again = await anp([...args, "--demo", ...REPEATABLE], { cwd });
      expect([again.code, again.stdout]).toEqual([0, first.stdout]);
    }
    const cases = [
      ["quota", "alice"],
      ["ledger", "alice"],
      ["subscription", "show", "alice"],
      ["news", "hot", "--limit", "3"],
      ["news", "topics", "--lang", "en"],
      ["hot-topics", "--limit", "2"],
      ["questions", "--lang", "en"],
    ];
    const wrong: unknown[] = [];
    await each(cases, async (args, index) => {
      const all = index % 2 === 0 ? args : [...args, "--json"];
      const there = await remote(all, "alice-token");
      const here = await anp([...all, "--demo", ...REPEATABLE], { cwd });
      if (there.code !== 0 || !isDeepStrictEqual(there, here)) wrong.push({ args, there, here });
    });
    expect(wrong).toEqual([]);
  });

  it("needs no USER, which the token implies, and refuses another one", async () => {
    expect((await remote(["quota"], "bob-token")).stdout).toContain("\nbob\t");
    expect((await remote(["exchange", "1", "--yes"], "carol-token")).stdout).toContain("\n1\t10\t1010\t10\n");
    expect((await remote(["events", "record", "page_view"], "carol-token")).stdout).toContain("\ttrue\ttrue\n");
    const other = await remote(["quota", "alice"], "bob-token");
    expect([other.code, other.stdout, other.stderr]).toEqual([
      2,
      "",
      expect.stringContaining("The token is not alice's but bob's."),
    ]);
  });

  it("fails as on the storage, with the same exit code and nothing on stdout", async () => {
    const cases: [args: string[], token: string | undefined, code: number, says: string][] = [
      [["ask", "提现手续费是多少？"], "bob-token", 3, "Insufficient points"],
      [["quota"], "nobody's", 4, "token is missing or invalid"],
      [["quota"], undefined, 4, "There is no token for http"],
      [["news", "refresh"], undefined, 4, "There is no token for http"],
      [["exchange", "0.01", "--yes"], "alice-token", 1, "earns less than 1 point"],
      [["exchange", "0"], "alice-token", 2, "AMOUNT must be a number greater than 0"],
      [["ledger", "--page", "0"], "alice-token", 2, "--page must be an integer of at least 1, not 0"],
      [["news", "hot", "--hours", "721"], undefined, 2, "--hours must be an integer from 1 to 720, not 721"],
      [["quota"], "a\nb", 2, "The token must be printable ASCII"],
      [["users", "list"], undefined, 2, "anp users list works on the storage itself: give --storage instead of --url"],
      [["points", "adjust", "alice", "1", "--reason", "x"], undefined, 2, "works on the storage itself"],
      [["quota", "--storage", "memory:"], undefined, 2, "--url and --storage exclude each other"],
      [["quota", "--demo"], undefined, 2, "--url and --demo exclude each other"],
      [["quota", "--profile", "x"], undefined, 2, "--url and --profile exclude each other"],
    ];
    const wrong: unknown[] = [];
    await each(cases, async ([args, token, code, says]) => {
      const ended = await remote(args, token);
      if (ended.code !== code || ended.stdout !== "" || !ended.stderr.includes(says)) wrong.push({ args, ...ended });
    });
    expect(wrong).toEqual([]);
  });

  it("exits 6 when no daemon listens at the address, and 2 for an invalid address", async () => {
    const gone = await anp(["news", "hot", "--url", "http://127.0.0.1:1"], { cwd });
    expect([gone.code, gone.stdout, gone.stderr]).toEqual([
      6,
      "",
      "error: http://127.0.0.1:1 cannot be reached: nothing listens there.\nCheck --url, and that the daemon runs.\n",
    ]);
    const page = await anp(["news", "hot", "--url", `${daemon.url}/docs`], { cwd });
    expect([page.code, page.stdout]).toEqual([5, ""]);
    const none = await anp(["news", "hot", "--url", "localhost:8787"], { cwd });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("must be an http or https URL")]);
  });

  it("reports the request id of a refusal, to find it in the daemon's log", async () => {
    const { stderr } = await remote(["ask", "提现手续费是多少？"], "bob-token");
    const id = /^request_id: (\S+)$/m.exec(stderr)?.[1];
    expect(id).toBeDefined();
    await daemon.says(`"request_id":"${id!}"`);
  });

  it("reads address and token from the environment, and the token from a file", async () => {
    await writeFile(join(cwd, "alice.token"), "alice-token\n", { mode: 0o600 });
    const env = { ANP_URL: daemon.url, ANP_TOKEN_FILE: join(cwd, "alice.token") };
    expect((await anp(["quota"], { cwd, env })).stdout).toContain("\nalice\t");
    // A flag that names a storage has precedence over the environment.
    expect((await anp(["quota", "bob", "--demo"], { cwd, env })).stdout).toContain("\nbob\t");
    // A command that needs the storage is not touched by it.
    expect((await anp(["users", "list", "--demo"], { cwd, env })).code).toBe(0);
    for (const more of [{ ANP_TOKEN: "x" }, { ANP_STORAGE: "memory:" }, { ANP_PROFILE: "x" }]) {
      const { code, stderr } = await anp(["quota"], { cwd, env: { ...env, ...more } });
      expect([code, stderr]).toEqual([2, expect.stringMatching(/ANP_\w+ and ANP_\w+ exclude each other/)]);
    }
    const lost = await anp(["quota"], { cwd, env: { ANP_URL: daemon.url, ANP_TOKEN_FILE: "no-such-file" } });
    expect([lost.code, lost.stderr]).toEqual([2, expect.stringContaining("no-such-file cannot be read")]);
  });

  it("connects by HTTPS, and refuses an untrusted certificate", async () => {
    const certificates = await makeCertificates();
    const secure = await serveHere(SMALL_WORLD, {
      cwd,
      env: {
        ANP_SERVER_TLS_CERT_FILE: certificates.certFile,
        ANP_SERVER_TLS_KEY_FILE: certificates.keyFile,
        ANP_ADMIN_PORT: "0",
      },
    });
    try {
      const args = ["quota", "--url", secure.url];
      const env = { ANP_TOKEN: "alice-token" };
      const doubted = await anp(args, { cwd, env });
      expect([doubted.code, doubted.stdout]).toEqual([6, ""]);
      const trusted = await spawnAnp(args, { cwd, env: { ...env, NODE_EXTRA_CA_CERTS: certificates.caFile } });
      expect([trusted.code, trusted.stdout]).toEqual([0, expect.stringContaining("\nalice\t")]);
      const operator = (await anp(["operators", "add", "mei", "--role", "support", ...SMALL_WORLD], { cwd })).stdout;
      const admin = /"admin":"(https:[^"]+)"/.exec(secure.log())![1]!;
      const asOperator = { ANP_TOKEN: operator.trim(), NODE_EXTRA_CA_CERTS: certificates.caFile };
      const support = await spawnAnp(["users", "show", "alice", "--url", admin], { cwd, env: asOperator });
      expect([support.code, support.stdout]).toEqual([0, expect.stringContaining("alice")]);
    } finally {
      await secure.end();
      await certificates.remove();
    }
  });
});

describe("profiles", () => {
  const profile = (...args: string[]): Promise<Ended> => anp(["profiles", ...args], { cwd, env: {} });
  const file = (): string => join(cwd, "xdg/config/anp/profiles.yaml");

  it("save an address and a token that is never shown, in a file that only the user can read", async () => {
    const added = await anp(["profiles", "add", "local", "--url", daemon.url], {
      cwd,
      env: { ANP_TOKEN: "alice-token" },
    });
    expect([added.code, added.stdout]).toEqual([0, `name\turl\ttoken\tcurrent\nlocal\t${daemon.url}\tkept\tfalse\n`]);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(await readFile(file(), "utf8")).toContain("token: alice-token");
    await writeFile(join(cwd, "bob.token"), "bob-token\n");
    await profile("add", "by-file", "--url", daemon.url, "--token-file", join(cwd, "bob.token"));
    const listed = await profile("list", "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: "local", token: "kept" },
      { name: "by-file", token: join(cwd, "bob.token") },
    ]);
    expect(listed.stdout + added.stdout + added.stderr).not.toContain("alice-token");
    expect((await anp(["quota", "--profile", "local"], { cwd })).stdout).toContain("\nalice\t");
    expect((await anp(["quota"], { cwd, env: { ANP_PROFILE: "by-file" } })).stdout).toContain("\nbob\t");
    // The profile's token belongs to its address: the environment's, for another host, does not replace it.
    const env = { ANP_TOKEN: "bob-token" };
    expect((await anp(["quota", "--profile", "local"], { cwd, env })).stdout).toContain("\nalice\t");
    const named = await anp(["quota", "--profile", "local", "--token", "carol-token"], { cwd, env });
    expect(named.stdout).toContain("\ncarol\t");
  });

  it("are used when neither a storage nor a daemon is named, until another one is chosen", async () => {
    await profile("add", "local", "--url", daemon.url, "--token", "alice-token");
    expect((await profile("use", "local")).stdout).toContain("\tkept\ttrue\n");
    expect((await anp(["quota"], { cwd })).stdout).toContain("\nalice\t");
    expect((await anp(["quota", "bob", "--demo"], { cwd })).stdout).toContain("\nbob\t");
    const own = await anp(["quota", "bob"], { cwd, env: { ANP_STORAGE: `fs:${join(cwd, ".anp/demo")}` } });
    expect(own.stdout).toContain("\nbob\t");
    expect((await profile("use", "--none")).code).toBe(0);
    const none = await anp(["quota", "bob"], { cwd });
    expect([none.code, none.stderr]).toEqual([6, expect.stringContaining("There is no storage at")]);
    expect((await profile("remove", "local", "--yes")).code).toBe(0);
    const gone = await anp(["quota", "--profile", "local"], { cwd });
    expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining("There is no profile local.")]);
    expect(await readFile(file(), "utf8")).not.toContain("alice-token");
  });

  it("are refused when others could read a token, and when the file is invalid, without quoting it", async () => {
    await profile("add", "local", "--url", daemon.url, "--token", "alice-token");
    await chmod(file(), 0o644);
    const open = await anp(["quota", "--profile", "local"], { cwd });
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining(`chmod 600 ${file()}`)]);
    await writeFile(file(), "profiles: { local: { url: 'http://a', tokn: alice-token } }", { mode: 0o600 });
    await chmod(file(), 0o600);
    const mistyped = await profile("list");
    expect([mistyped.code, mistyped.stderr]).toEqual([
      2,
      expect.stringContaining("profiles.local.tokn: is not a known key"),
    ]);
    await writeFile(file(), "profiles: [alice-token\n :");
    const broken = await profile("list");
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining("are not valid YAML")]);
    expect(mistyped.stderr + broken.stderr).not.toContain("alice-token");
    await writeFile(file(), "");
    expect((await profile("list")).stderr).toContain("There are no profiles.");
  });

  it("refuse missing and invalid values", async () => {
    const cases: [args: string[], says: string][] = [
      [["add", "local"], "--url is missing"],
      [["add", "a b", "--url", "http://a"], "NAME must be 1 to 64 letters"],
      [["add", "local", "--url", "ftp://a"], "--url must be an http or https URL"],
      [["add", "local", "--url", "http://a", "--token", "x", "--token-file", "y"], "exclude each other"],
      [["use"], "Give either NAME or --none."],
      [["use", "nothing"], "There is no profile nothing."],
      [["remove", "nothing"], "There is no profile nothing."],
    ];
    const wrong: unknown[] = [];
    await each(cases, async ([args, says]) => {
      const ended = await profile(...args);
      if (ended.code !== 2 || ended.stdout !== "" || !ended.stderr.includes(says)) wrong.push({ args, ...ended });
    });
    expect(wrong).toEqual([]);
  });
});

describe("in a terminal", () => {
  it("asks for confirmation before it changes points of the token's user", async () => {
    const env = { ANP_TOKEN: "carol-token" };
    const { code, screen } = await anpInTerminal(["exchange", "1", "--url", daemon.url], {
      cwd,
      env,
      steps: [{ on: "Exchange 1 of carol at the daemon's rate (has ", type: "\r" }],
    });
    expect([code, screen]).toEqual([1, expect.stringContaining("Nothing was changed.")]);
  });

  it("prompts for a profile's token without echo", async () => {
    const { code, screen } = await anpInTerminal(["profiles", "add", "asked", "--url", daemon.url], {
      cwd,
      steps: [{ on: "Token for", type: "bob-token\r" }],
    });
    expect(code, screen).toBe(0);
    expect(screen).not.toContain("bob-token");
    expect((await anp(["quota", "--profile", "asked"], { cwd })).stdout).toContain("\nbob\t");
  });
});
