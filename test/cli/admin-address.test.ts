import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/cli/command-catalogue.ts";
import { temporaryFolder } from "../support/folder.ts";
import { SMALL_WORLD, type Ended } from "../support/program.ts";
import { noTerminal } from "../support/terminal.ts";
import { anp, anpInTerminal, each, REPEATABLE, serveHere, spawnAnp, type DaemonHere } from "./anp.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let cwd: string;
let daemon: DaemonHere & { readonly admin: string };
const tokens = { support: "", operator: "", revoked: "", expired: "" };
const HERE = [...SMALL_WORLD, ...REPEATABLE];

beforeAll(async () => {
  folder = await temporaryFolder();
  cwd = folder.path;
  const started = await serveHere(HERE, {
    cwd,
    env: { ANP_ADMIN_PORT: "0", ANP_AUTH_CACHE_MS: "0", ANP_SERVER_TRUSTED_PROXIES: "1" },
  });
  daemon = { ...started, admin: /"admin":"([^"]+)"/.exec(started.log())![1]! };
  const add = async (name: string, role: string, world: readonly string[] = HERE): Promise<string> =>
    (await anp(["operators", "add", name, "--role", role, "--actor", "root", ...world], { cwd })).stdout.trim();
  tokens.support = await add("mei", "support");
  tokens.operator = await add("ops-1", "operator");
  tokens.revoked = await add("gone", "operator");
  // Issued when the clock of the daemon, which stands still, was earlier.
  const earlier = ["--expires", "1d", ...SMALL_WORLD, "--now", "2026-11-01T00:00:00Z"];
  tokens.expired = await add("late", "operator", earlier);
  expect((await anp(["operators", "revoke", "gone", "--yes", ...HERE], { cwd })).code).toBe(0);
});

afterAll(async () => {
  await daemon.end();
  await folder.remove();
});

/** The same command with an operator's token at the admin address. */
function there(args: readonly string[], token = tokens.operator): Promise<Ended> {
  return anp([...args, "--url", daemon.admin], { cwd, env: { ANP_TOKEN: token } });
}

const here = (args: readonly string[]): Promise<Ended> => anp([...args, ...HERE], { cwd });

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function call(path: string, body: unknown, token?: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${daemon.admin}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("a command at the admin address", () => {
  it("prints the same, byte for byte, and exits alike, as on the storage", async () => {
    for (const args of [
      ["ask", "提现手续费是多少？", "--user", "demo"],
      ["exchange", "alice", "2", "--yes"],
      ["points", "adjust", "alice", "-5", "--reason", "paid twice", "--yes"],
      ["users", "create", "eve", "--lang", "en"],
    ]) {
      expect(await there(args)).toMatchObject({ code: 0, stderr: "" });
    }
    const commands = [
      ["users", "list"],
      ["users", "show", "alice"],
      ["quota", "alice"],
      ["ledger", "list", "alice"],
      ["ledger", "alice", "--all", "--type", "adjust"],
      ["ledger", "alice", "--page", "0"],
      ["ledger", "alice", "--all", "--page", "1"],
      ["ledger", "summary", "alice"],
      ["ledger", "search", "--reason", "twice"],
      ["ledger", "verify", "alice"],
      ["ledger", "export", "alice"],
      ["tokens", "list", "alice"],
      ["questions", "demo"],
      ["hot-topics", "--limit", "2"],
      ["news", "hot", "--limit", "3"],
      ["news", "status"],
      ["events", "stats"],
      ["operators", "list"],
      ["points", "adjust", "alice", "5", "--reason", "x"],
      ["points", "reverse", "99", "--user", "alice", "--reason", "x", "--yes"],
      ["subscription", "set", "bob", "--plan", "gold"],
    ];
    const wrong: unknown[] = [];
    await each(commands, async (args, index) => {
      const all = [...args, ...[[], ["--json"], ["-o", "table"], ["--quiet"]][index % 4]!];
      const [one, other] = [await there(all), await here(all)];
      if (!isDeepStrictEqual(one, other)) wrong.push({ args: all, one, other });
    });
    expect(wrong).toEqual([]);
  });

  it("names the operator as the actor, and nobody else", async () => {
    await there(["points", "adjust", "bob", "3", "--reason", "gift", "--yes"]);
    const { stdout } = await here(["ledger", "search", "--actor", "ops-1", "--type", "adjust", "--json"]);
    expect(stdout).toContain('"reason":"gift","actor":"ops-1"');
    const forged = await there(["points", "adjust", "bob", "3", "--reason", "x", "--actor", "mei", "--yes"]);
    expect([forged.code, forged.stderr]).toEqual([2, expect.stringContaining("--actor cannot be given with")]);
    const body = { user: "bob", delta: 3, reason: "x", actor: "mei", yes: true };
    expect((await call("/admin/v1/points/adjust", body, tokens.operator)).status).toBe(422);
  });

  it("is refused where it works on files or on this computer", async () => {
    for (const [args, says] of [
      [["ledger", "verify", "--against", "x.json"], "--against cannot be given with an operator's token."],
      [
        ["events", "replay", "x.jsonl"],
        "anp events replay does not take an operator's token. Leave it out or give a user's, with --url",
      ],
      [["storage", "info"], "works on the storage itself"],
      [["quota", "alice", "--now", "2026-11-20T00:00:00Z"], "--url and --now exclude each other"],
    ] as const) {
      const { code, stdout, stderr } = await there([...args]);
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(says)]);
    }
  });

  it("needs the question of ask, and says so before it asks for anything", async () => {
    const args = ["ask", "--url", daemon.admin, "--no-color"];
    const { code, screen } = await anpInTerminal(args, { cwd, env: { ANP_TOKEN: tokens.operator } });
    expect([code, screen]).toEqual([2, expect.stringContaining("QUESTION is missing: with an operator's token")]);
    expect(screen).not.toContain("id of the user");
    const piped = await there(["ask"]);
    expect([piped.code, piped.stderr]).toEqual([
      2,
      expect.stringMatching(/QUESTION is missing: .*\n.*--user is missing/),
    ]);
  });

  it("is not what status and doctor look at, which say so", async () => {
    const says = `${daemon.admin} is a daemon's admin address: give the address of its API instead`;
    const status = await anp(["status", "--url", daemon.admin], { cwd });
    expect([status.code, status.stderr]).toEqual([6, expect.stringContaining(says)]);
    const doctor = await anp(["doctor", "--url", daemon.admin], { cwd });
    expect([doctor.code, doctor.stdout]).toEqual([6, expect.stringContaining(says)]);
    const withToken = await there(["status"]);
    expect([withToken.code, withToken.stderr]).toEqual([
      2,
      expect.stringContaining("with --url of the API (server.port), not of the admin address"),
    ]);
  });

  it("is listed in the audit log up to a limit, which is said", async () => {
    await there(["users", "list"]);
    await there(["users", "list"]);
    const cut = await there(["audit", "list", "--limit", "1"]);
    expect([cut.code, cut.stderr]).toEqual([0, "Only the newest 1 calls are shown; --limit shows more.\n"]);
    expect(cut.stdout.trim().split("\n")).toHaveLength(2);
    expect((await there(["audit", "list", "--limit", "1", "--quiet"])).stderr).toBe("");
    expect((await there(["audit", "list", "--limit", "100000"])).stderr).toBe("");
  });

  it("is listed in the audit log from one instant until another", async () => {
    await there(["users", "list"]);
    const times = async (...range: string[]): Promise<string[]> => {
      const { code, stdout } = await there(["audit", "list", "--limit", "100000", "--json", ...range]);
      expect(code).toBe(0);
      return [...new Set((JSON.parse(stdout) as { at: string }[]).map(({ at }) => at))].sort();
    };
    const [first, last] = ["2026-11-01T00:00:00.000Z", "2026-11-20T00:00:00.000Z"];
    expect(await times()).toEqual([first, last]);
    expect(await times("--until", "2026-11-10")).toEqual([first]);
    expect(await times("--since", "2026-11-10", "--until", last)).toEqual([last]);
    expect(await times("--since", "2026-11-10", "--until", "2026-11-19")).toEqual([]);
    const backwards = await there(["audit", "list", "--since", "2026-11-21", "--until", "2026-11-20"]);
    expect([backwards.code, backwards.stderr]).toEqual([
      2,
      expect.stringContaining("--since must not be after --until."),
    ]);
  });

  it("is recorded on the storage too: who was added until when, and what was refused", async () => {
    await here(["operators", "add", "brief", "--role", "support", "--expires", "30d", "--actor", "root"]);
    expect((await here(["operators", "add", "brief", "--role", "support", "--actor", "root"])).code).toBe(1);
    expect((await here(["operators", "revoke", "nobody", "--yes", "--actor", "root"])).code).toBe(5);
    const { stdout } = await here(["audit", "list", "--operator", "root", "--limit", "3", "--json"]);
    const rows = JSON.parse(stdout) as { arguments: object; outcome: string }[];
    expect(rows.map((row) => [row.arguments, row.outcome])).toEqual([
      [{ name: "nobody" }, "exit 5"],
      [{ name: "brief", role: "support" }, "exit 1"],
      [{ name: "brief", role: "support", expires: "2026-12-20T00:00:00.000Z" }, "exit 0"],
    ]);
  });

  it("reads address and token from a profile, which only its user can read", async () => {
    const add = ["profiles", "add", "ops", "--url", daemon.admin, "--token", tokens.support];
    expect((await anp(add, { cwd })).code).toBe(0);
    expect((await stat(join(cwd, "xdg/config/anp/profiles.yaml"))).mode & 0o777).toBe(0o600);
    expect((await anp(["users", "list", "--profile", "ops"], { cwd })).stdout).toContain("\nalice\t");
  });

  it("says so when token and address do not fit", async () => {
    const onPublic = await anp(["users", "list", "--url", daemon.url, "--token", tokens.support], { cwd });
    expect([onPublic.code, onPublic.stderr]).toEqual([6, expect.stringContaining("give its admin address")]);
    const users = await anp(["quota", "--url", daemon.admin, "--token", "alice-token"], { cwd });
    expect([users.code, users.stderr]).toEqual([
      4,
      expect.stringContaining("A user's token is not valid at the admin"),
    ]);
    const gone = await anp(["quota", "alice", "--url", "http://127.0.0.1:1", "--token", tokens.support], { cwd });
    expect([gone.code, gone.stderr]).toEqual([6, expect.stringContaining("nothing listens there")]);
    const low = await there(["points", "adjust", "bob", "1", "--reason", "x", "--yes"], tokens.support);
    expect([low.code, low.stderr]).toEqual([4, expect.stringContaining("points adjust needs the role operator")]);
    expect(low.stderr).toContain("Ask somebody with the role operator");
    const unknown = await there(["users", "list"], "anpop_unknown");
    expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining("token is missing or invalid")]);
    expect(unknown.stderr).toMatch(/an operator's as `Authorization: Bearer` \(`anp operators add`\)/);
    const revoked = await there(["users", "list"], tokens.revoked);
    expect([revoked.code, revoked.stderr]).toEqual([4, expect.stringMatching(/This token was revoked on 2026-11-20T/)]);
    const expired = await there(["users", "list"], tokens.expired);
    expect([expired.code, expired.stderr]).toEqual([4, expect.stringMatching(/This token expired on 2026-11-02T/)]);
    const headers = { "x-user-token": tokens.operator };
    expect(await (await fetch(`${daemon.url}/api/v1/ai/me`, { headers })).text()).toContain("the admin address");
  });
});

describe.skipIf(noTerminal !== undefined)("a command at the admin address, in a terminal", () => {
  const env = (): NodeJS.ProcessEnv => ({ ANP_TOKEN: tokens.operator });

  it("shows the same as on the storage: width, colours and control characters", async () => {
    await there(["points", "adjust", "carol", "9", "--reason", "wide \u202e reversed", "--yes"]);
    for (const args of [
      ["ledger", "carol"],
      ["ledger", "search", "--reason", "wide"],
    ]) {
      const [one, other] = await Promise.all([
        anpInTerminal([...args, "--url", daemon.admin], { cwd, env: env(), columns: 90 }),
        anpInTerminal([...args, ...HERE], { cwd, columns: 90 }),
      ]);
      expect(one).toEqual(other);
      expect(one.screen).toContain("\u001b[1m");
    }
  });

  it("asks there and is answered here: a missing value, then whether to go on", async () => {
    const args = ["points", "adjust", "carol", "-2", "--url", daemon.admin, "--no-color"];
    const question = /Take 2 points from carol \((\d+) → (\d+)\)\?/;
    const no = await anpInTerminal([...args, "--reason", "x"], {
      cwd,
      env: env(),
      steps: [{ on: "Take 2 points from carol", type: "\r" }],
    });
    expect([no.code, no.screen]).toEqual([1, expect.stringContaining("Nothing was changed.")]);
    const yes = await anpInTerminal(args, {
      cwd,
      env: env(),
      steps: [
        { on: "reason (up to 200 characters)", type: "paid twice\r" },
        { on: "Take 2 points from carol", type: "y\r" },
      ],
    });
    expect(yes.code, yes.screen).toBe(0);
    const [, before, after] = question.exec(no.screen)!;
    expect(question.exec(yes.screen)?.slice(1)).toEqual([before, after]);
    expect(yes.screen).toMatch(new RegExp(`balance_after +${after!}\\n[^]*actor +ops-1\\n`));
  });

  it("asks there for the id of a token to revoke", async () => {
    await there(["users", "create", "tess"]);
    const args = ["tokens", "revoke", "--user", "tess", "--url", daemon.admin];
    const refused = await anpInTerminal(args, { cwd, env: env() });
    expect([refused.code, refused.screen]).toEqual([2, expect.stringContaining("--user and --all go together")]);
  });
});

/** Every command of the command line by its route, with its role. */
async function routes() {
  const all: { path: string; role: string | undefined; body: Record<string, unknown> }[] = [];
  for (const { name, load } of CATALOGUE) {
    const loaded = await load();
    for (const [verb, command] of [["", loaded] as const, ...Object.entries(loaded.commands)]) {
      all.push({ path: [name, verb].filter(Boolean).join("/"), role: command.role, body: {} });
    }
  }
  return all;
}

describe("the admin address", () => {
  it("runs a command for the roles that it names, and refuses every other caller", async () => {
    const wrong: unknown[] = [];
    const { support, operator, revoked, expired } = tokens;
    const bad = Object.entries({ none: undefined, user: "alice-token", revoked, expired });
    // Without the failures that lock an address out: those are tested below.
    const wanted = (role: string | undefined, caller: string): number => {
      if (role === undefined) return 404;
      if (caller === "support") return role === "support" ? 422 : 403;
      return caller === "operator" ? 422 : 401;
    };
    for (const [index, { path, role }] of (await routes()).entries()) {
      for (const [caller, token] of [["support", support], ["operator", operator], bad[index % bad.length]!] as const) {
        // Every address has its own count of failures; the daemon takes it from its proxy.
        const { status, headers, text } = await proxied(`10.0.${index}.1`, path, { unknown: 1 }, token);
        const { code, success } = JSON.parse(text) as { code: number; success: boolean };
        const fits = status === wanted(role, caller) && code === status && !success && text.includes("request_id");
        const challenged = status !== 401 || headers.get("www-authenticate")?.startsWith("Bearer ") === true;
        if (!fits || !challenged) wrong.push({ path, caller, status, text });
      }
    }
    expect(wrong).toEqual([]);
  });

  it("refuses what is no call of a command, and names each field", async () => {
    const path = "/admin/v1/ledger/list";
    const ask = (body: unknown, init?: RequestInit): Promise<Answer> => call(path, body, tokens.support, init);
    expect((await call("/admin/v1/storage/export", {}, tokens.operator)).status).toBe(404);
    expect((await call("/admin/v1/quota/alice", {}, tokens.operator)).status).toBe(404);
    const got = await fetch(`${daemon.admin}${path}`);
    expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
    const plain = { authorization: `Bearer ${tokens.support}`, "content-type": "text/plain" };
    expect((await ask("{}", { headers: plain })).status).toBe(415);
    expect((await ask({ user: "x".repeat(70_000) })).status).toBe(413);
    const { status, text } = await ask({
      page: "zero",
      page_size: [1],
      all: "yes",
      type: "adjust",
      limit: 0,
      seed: "x",
    });
    expect(status).toBe(422);
    const { errors } = JSON.parse(text) as { errors: { path: string; message: string }[] };
    expect(Object.fromEntries(errors.map((one) => [one.path, one.message]))).toMatchInlineSnapshot(`
      {
        "all": "must be a boolean",
        "limit": "must be an integer from 1 to 9007199254740991, not "0"",
        "page": "must be an integer, not "zero"",
        "page_size": "must be a string or number",
        "seed": "is not a known field",
        "type": "must be an array of string or number",
        "user": "is required",
      }
    `);
    expect((await ask({ user: "alice", terminal: { columns: 0 } })).status).toBe(422);
    expect((await ask("[1]")).status).toBe(422);
  });

  it("answers with lines of JSON that end with the exit code", async () => {
    const { status, headers, text } = await call("/admin/v1/quota", { user: "bob", format: "json" }, tokens.support);
    expect([status, headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
    const frames = text.split("\n").filter((line) => line !== "");
    expect(frames.map((line) => Object.keys(JSON.parse(line) as object).join())).toEqual(["out", "exit"]);
    const none = await call("/admin/v1/quota", { user: "nobody" }, tokens.support);
    expect(none.text).toContain('{"exit":5}');
  });

  it("asks instead of moving points, where the caller can answer", async () => {
    const body = { user: "carol", delta: -2, reason: "x", terminal: { ask: true } };
    const asked = await call("/admin/v1/points/adjust", body, tokens.operator);
    expect(asked.text.trim()).toMatch(/^\{"ask":"Take 2 points from carol \(\d+ → \d+\)\?"\}$/);
    const cannot = await call("/admin/v1/points/adjust", { ...body, terminal: {} }, tokens.operator);
    expect(cannot.text).toContain("confirm with --yes");
    expect(cannot.text).toContain('{"exit":2}');
    const done = await call("/admin/v1/points/adjust", { ...body, yes: true }, tokens.operator);
    expect(done.text).toContain('{"exit":0}');
  });

  it("locks an address out after ten tokens that are not valid", async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) statuses.push((await proxied("10.9.9.9", "quota", {}, `anpop_${n}`)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    const locked = await proxied("10.9.9.9", "quota", { user: "bob" }, tokens.support);
    expect([locked.status, Number(locked.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
    expect((await proxied("10.9.9.8", "quota", { user: "bob" }, tokens.support)).status).toBe(200);
  });

  it("is warned of where it can be reached without TLS from other machines", async () => {
    for (const [host, warned] of [
      ["0.0.0.0", true],
      ["127.0.0.1", false],
    ] as const) {
      const env = { ANP_ADMIN_PORT: "0", ANP_ADMIN_HOST: host };
      const open = await serveHere([...SMALL_WORLD, "--storage", "memory:", "--log-level", "warn"], { cwd, env });
      const { stderr } = await open.end();
      expect(stderr.includes("without TLS: operators' tokens")).toBe(warned);
    }
  });

  it("cannot share a port: the daemon ends, and leaves no other address open", async () => {
    const { code, stderr } = await spawnAnp(["serve", "--storage", "memory:", "--port", "0"], {
      cwd,
      env: { ANP_ADMIN_PORT: new URL(daemon.admin).port },
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining("Use another port: admin.port.")]);
  });

  it("counts calls by command and outcome", async () => {
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    for (const outcome of ["exit 0", "exit 2", "asked", "unauthorized", "forbidden", "locked"]) {
      expect(metrics).toMatch(new RegExp(`anp_admin_calls_total\\{command="[a-z ]+",outcome="${outcome}"\\} [1-9]`));
    }
  });
});

/** A call as a proxy passes it on. */
async function proxied(address: string, path: string, body: object, token: string | undefined): Promise<Answer> {
  const headers = {
    "content-type": "application/json",
    "x-forwarded-for": address,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  return call(`/admin/v1/${path}`, body, token, { headers });
}
