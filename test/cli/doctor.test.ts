import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { chown, mkdir, readdir, readFile, rename, rmdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeCertificates } from "../support/certificates.ts";
import { startRedis } from "../support/redis-server.ts";
import { noRedis } from "../support/redis-available.ts";
import { folderOnDisk } from "../support/folder.ts";
import { anp, anpInTerminal, serveHere } from "./anp.ts";
import { SMALL_WORLD, type Ended } from "../support/program.ts";

interface Finding {
  readonly check: string;
  readonly subject: string;
  readonly level: "ok" | "warning" | "error";
  readonly message: string;
  readonly loses?: string;
  readonly remedy?: string;
}

let cwd: string;
const cleanup: (() => unknown)[] = [];

beforeEach(async () => {
  const folder = await folderOnDisk();
  cleanup.push(folder.remove);
  cwd = folder.path;
});

afterEach(async () => {
  for (const undo of cleanup.splice(0).reverse()) await undo();
});

/** A server on the loopback; gives its URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function configure(values: object): Promise<string[]> {
  await writeFile(join(cwd, "anp.json"), JSON.stringify({ server: { port: 0 }, ...values }));
  return ["--config", "anp.json", "--storage", "memory:"];
}

async function examine(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ended & { of: (check: string, subject: string) => Finding | undefined; findings: Finding[] }> {
  const ended = await anp(["doctor", "--json", ...args], { cwd, env });
  const findings = JSON.parse(ended.stdout) as Finding[];
  const of = (check: string, subject: string): Finding | undefined =>
    findings.find((one) => one.check === check && one.subject === subject);
  return { ...ended, findings, of };
}

it("looks for the files that the assistant is to read", async () => {
  await writeFile(join(cwd, "words.txt"), "top up, load | 充值\n");
  const args = await configure({ assistant: { lexicon: "words.txt", questions: "none.yaml" } });
  const { of } = await examine(args);
  expect(of("fixtures", "lexicon")).toMatchObject({ level: "ok" });
  expect(of("fixtures", "questions")).toMatchObject({ level: "error", remedy: "Correct assistant.questions." });
  const missing = await examine(await configure({ assistant: { lexicon: "none.txt" } }));
  const message = expect.stringContaining("cannot be read (ENOENT)") as string;
  expect(missing.of("fixtures", "lexicon")).toMatchObject({ level: "error", message });
});

it("names the entries of a listing that are not valid", async () => {
  const notice = { id: "n", lang: "en", title: "A" };
  await writeFile(join(cwd, "notices.json"), JSON.stringify({ notices: [notice, "x"] }));
  const { of } = await examine(await configure({ news: { notices: "notices.json" } }));
  expect(of("news", "notices")).toMatchObject({
    level: "warning",
    message: "notices.json has 1 entry; 1 more not valid; entry 2 is not an object.",
  });
});

const RSS = `<?xml version="1.0"?><rss version="2.0"><channel><title>t</title><item><title>One</title></item></channel></rss>`;

it("finds the demo well, lists what it checked, and leaves nothing behind", async () => {
  await anp(["quota", "alice", "--demo"], { cwd });
  const { code, stderr, findings, of } = await examine(["--demo"], { ANP_SERVER_PORT: "0" });
  expect([code, stderr]).toEqual([0, `0 errors, 0 warnings, ${findings.length} ok.\n`]);
  expect(new Set(findings.map(({ check }) => check))).toEqual(
    new Set(["config", "storage", "clock", "port", "model", "platform tokens", "news", "fixtures", "versions"]),
  );
  expect(of("config", "source")?.message).toContain("server.port from environment ANP_SERVER_PORT");
  expect(of("storage", "round trip")?.message).toMatch(/^Created, refused to create again, read and removed in \d+ ms/);
  expect(of("versions", "node")?.message).toContain(process.versions.node);
  expect(await readdir(join(cwd, ".anp/demo/doctor"))).toEqual([]);
});

it("names the operators whose tokens never expire, with the remedy", async () => {
  const args = await configure({});
  args.splice(-2, 2, "--storage", "fs:data");
  for (const [name, ...more] of [["olga"], ["mei", "--expires", "12h"], ["ivan"], ["zoe"]])
    await anp(["operators", "add", name!, "--role", "support", ...more, ...args], { cwd });
  await anp(["operators", "revoke", "zoe", "--yes", ...args], { cwd });
  const found = (await examine(args)).of("storage", "operators");
  expect(found).toMatchObject({ level: "warning", message: "The tokens of these operators never expire: ivan, olga." });
  expect(found?.remedy).toContain("operators revoke NAME");
});

it("names tokens of users and operators whose record is lost or cannot be read, until it is back", async () => {
  const args = ["--storage", "fs:data"];
  await anp(["users", "create", "dora", ...args], { cwd });
  await anp(["tokens", "issue", "dora", ...args], { cwd });
  await anp(["operators", "add", "olga", "--role", "support", ...args], { cwd });
  expect((await examine(args)).of("storage", "tokens")).toBeUndefined();
  for (const folder of ["tokens", "operators/tokens"]) {
    const name = (await readdir(join(cwd, "data", folder)))[0]!;
    const file = join(cwd, "data", folder, name);
    const key = `${folder}/${name.slice(0, -".json".length)}`;
    await rename(file, join(cwd, "kept"));
    const lost = (await examine(args)).of("storage", "tokens");
    expect(lost).toMatchObject({ level: "warning", message: expect.stringContaining(`${key} is missing`) as string });
    expect(lost?.message).toContain("1 of 2 tokens");
    await mkdir(file);
    const damaged = (await examine(args)).of("storage", "tokens");
    expect(damaged?.message).toContain(`The stored value of ${key} is damaged: EISDIR`);
    await rmdir(file);
    await rename(join(cwd, "kept"), file);
    expect((await examine(args)).of("storage", "tokens")).toBeUndefined();
  }
});

it.skipIf(process.geteuid?.() !== 0)(
  "names a file that the user of the storage cannot read, and its remedy",
  async () => {
    const folder = join(cwd, "data");
    await anp(["users", "create", "alice", "--storage", "fs:data"], { cwd });
    for (const name of ["", ...(await readdir(folder, { recursive: true }))])
      await chown(join(folder, name), 4711, 4711);
    await anp(["points", "adjust", "alice", "7", "--reason", "x", "--yes", "--storage", "fs:data"], { cwd });
    expect((await examine(["--storage", "fs:data"])).of("storage", "owners")).toBeUndefined();
    const entry = join(folder, "users/alice/profile.json");
    await chown(entry, 0, 0);
    expect((await examine(["--storage", "fs:data"])).of("storage", "owners")).toMatchObject({
      level: "error",
      message: `${entry} belongs to user 0: user 4711, whose storage it is, cannot read it.`,
      remedy: expect.stringContaining(`chown -R 4711 ${folder}`) as string,
    });
    await chown(entry, 4711, 4711);
    await chown(folder, 4712, 4712);
    expect((await examine(["--storage", "fs:data"])).of("storage", "owners")).toMatchObject({
      level: "warning",
      message: `${folder} belongs to user 4712, and what is in it to user 4711: user 4712 cannot read it.`,
    });
  },
);

it("accepts a storage that does not exist yet, and does not create it", async () => {
  const { code, of } = await examine(["--storage", "fs:nowhere"]);
  expect(code).toBe(0);
  expect(of("storage", "address")).toMatchObject({ level: "warning" });
  expect(await readdir(cwd)).toEqual([]);
  expect((await examine(["--storage", "fs:nowhere", "--strict"])).code).toBe(1);

  await writeFile(join(cwd, "file"), "");
  for (const [folder, says] of [
    ["file/sub/data", `${join(cwd, "file")} is not a folder.`],
    ["/proc/nope", "It cannot be created in /proc: "],
  ]) {
    const unmakable = await examine(["--storage", `fs:${folder}`]);
    expect(unmakable.code).toBe(6);
    expect(unmakable.of("storage", "address")).toMatchObject({
      level: "error",
      message: expect.stringContaining(`There is no storage at ${resolve(cwd, folder!)}. ${says}`) as string,
    });
  }
  expect(await readdir(cwd)).toEqual(["file"]);
});

it("reports every error of an invalid configuration, exits 2, and still reports the versions", async () => {
  await configure({ exchange: { rat: 3 }, quota: { free_daily: -1 } });
  const { code, findings, of } = await examine(["--config", "anp.json"]);
  expect(code).toBe(2);
  const faults = findings.filter(({ check }) => check === "config");
  expect(faults.map(({ message }) => message).join("\n")).toMatch(/exchange\.rat: .*Did you mean rate\?/);
  expect(faults.map(({ message }) => message).join("\n")).toMatch(/quota\.free_daily: /);
  expect(of("versions", "anp")?.level).toBe("ok");
});

describe("of the port", () => {
  it("it says who has it: an anp daemon, or another program", async () => {
    const daemon = await serveHere(["--storage", "memory:"], { cwd });
    cleanup.push(() => daemon.end());
    const { port } = new URL(daemon.url);
    const ours = await examine(await configure({}), { ANP_SERVER_PORT: port });
    expect(ours.of("port", "server.port")).toMatchObject({
      level: "ok",
      message: `An anp daemon listens on 127.0.0.1:${port} and is ready.`,
    });

    const other = new URL(await serve((_request, response) => response.end("hello")));
    const theirs = await examine(await configure({}), { ANP_SERVER_PORT: other.port });
    expect(theirs.code).toBe(1);
    expect(theirs.of("port", "server.port")).toMatchObject({
      level: "error",
      message: `127.0.0.1:${other.port} is in use by another program.`,
      remedy: "Stop it, or use another port: server.port or --port.",
    });
  });

  it("it is an error that its daemon has lost the storage, with what to do", async () => {
    const daemon = await serveHere(["--storage", "fs:data"], { cwd });
    cleanup.push(() => daemon.end());
    const { port } = new URL(daemon.url);
    await rename(join(cwd, "data"), join(cwd, "elsewhere"));
    const gone = await examine(["--storage", "fs:data"], { ANP_SERVER_PORT: port });
    expect(gone.of("storage", "address")?.remedy).toContain("bring it back");
    await mkdir(join(cwd, "data"));
    const other = await examine(["--storage", "fs:data"], { ANP_SERVER_PORT: port });
    for (const { code, of } of [gone, other]) {
      expect(code).toBe(1);
      expect(of("port", "server.port")).toMatchObject({
        level: "error",
        message: expect.stringContaining("has lost its storage: another storage is in the place of this one") as string,
        remedy: expect.stringContaining("`anp storage accept`") as string,
      });
    }
  });

  it("it takes serve's flags, which have precedence over the configuration", async () => {
    const daemon = await serveHere(["--storage", "memory:"], { cwd });
    cleanup.push(() => daemon.end());
    const { port } = new URL(daemon.url);
    const taken = await examine([...(await configure({})), "--host", "127.0.0.1", "--port", port]);
    expect(taken.of("port", "server.port")?.message).toBe(`An anp daemon listens on 127.0.0.1:${port} and is ready.`);
    expect(taken.of("config", "source")?.message).toMatch(/server\.port, storage, server\.host from flag/);
    const elsewhere = await examine([...(await configure({})), "--host", "192.0.2.1", "--port", port]);
    expect([elsewhere.code, elsewhere.of("port", "server.port")?.remedy]).toEqual([
      1,
      "Set server.host to an address of this machine.",
    ]);
    const outside = await anp(["doctor", "--url", daemon.url, "--port", port], { cwd });
    expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining("give them without --url")]);
  });

  it("it looks at the ports of the admin address and of the metrics too, where they have one", async () => {
    const daemon = await serveHere(["--storage", "memory:"], {
      cwd,
      env: { ANP_ADMIN_PORT: "0", ANP_METRICS_PORT: "0" },
    });
    cleanup.push(() => daemon.end());
    const portOf = (name: string) => new URL(new RegExp(`"${name}":"([^"]+)"`).exec(daemon.log())![1]!).port;
    const [admin, metrics] = [portOf("admin"), portOf("metrics")];
    const ours = await examine(await configure({}), { ANP_ADMIN_PORT: admin, ANP_METRICS_PORT: metrics });
    expect(ours.findings.filter(({ check }) => check === "port").map(({ message }) => message)).toEqual([
      "0: each start uses a free port.",
      `The admin address of an anp daemon listens on 127.0.0.1:${admin}.`,
      `An anp daemon serves its metrics on 127.0.0.1:${metrics}.`,
    ]);

    const swapped = await examine(await configure({}), { ANP_ADMIN_PORT: metrics, ANP_METRICS_PORT: admin });
    expect(swapped.code).toBe(1);
    for (const section of ["admin", "metrics"]) {
      expect(swapped.of("port", `${section}.port`)).toMatchObject({
        level: "error",
        message: expect.stringContaining("is in use by another program.") as string,
        remedy: `Stop it, or use another port: ${section}.port.`,
      });
    }
    const unused = await examine(await configure({ metrics: { enabled: false, port: Number(admin) } }));
    expect(unused.of("port", "metrics.port")).toBeUndefined();
  });
});

describe("of a running daemon", () => {
  const levels = (findings: readonly Finding[]) =>
    Object.fromEntries(
      findings.filter(({ check }) => check === "daemon").map(({ subject, level }) => [subject, level]),
    );
  const FINE = ["address", "readiness", "metrics", "version", "document", "clock", "anonymous read", "no token"];

  it("it checks the whole from outside, and a token where one is given", async () => {
    const daemon = await serveHere([...SMALL_WORLD, "--storage", "memory:"], {
      cwd,
      env: { ANP_EXCHANGE_MAX_AMOUNT: "7" },
    });
    cleanup.push(() => daemon.end());
    const { code, findings, of } = await examine(["--url", daemon.url]);
    expect([code, levels(findings)]).toEqual([0, Object.fromEntries(FINE.map((subject) => [subject, "ok"]))]);
    expect(of("daemon", "document")?.message).toMatch(
      /^\/openapi\.json is that of this version \(SHA-256 [0-9a-f]{12}\)\.$/,
    );
    expect(of("versions", "anp")?.level).toBe("ok");
    const token = await examine(["--url", daemon.url, "--token", "alice-token"]);
    expect(token.of("daemon", "token")).toMatchObject({ level: "ok", message: "It is accepted: alice." });
    const wrong = await examine(["--url", daemon.url, "--token", "nobody", "--metrics-url", `${daemon.url}/nowhere`]);
    expect([wrong.code, wrong.of("daemon", "token")?.level, wrong.of("daemon", "metrics")?.level]).toEqual([
      1,
      "error",
      "warning",
    ]);
  });

  it("it finds what is between: another version, another clock, reads refused, a caller let in", async () => {
    const me = { success: true, code: 0, message: "ok", request_id: "r", data: {} };
    const url = await serve(({ url: path }, response) => {
      response.setHeader("date", new Date(Date.now() - 3_600_000).toUTCString());
      if (path === "/readyz") response.writeHead(503).end("not ready: starting\n");
      else if (path === "/openapi.json") response.end('{"info":{"version":"0.0.1"}}');
      else if (path === "/api/v1/ai/me") response.end(JSON.stringify(me));
      else response.writeHead(403).end("no");
    });
    const { code, findings, of } = await examine(["--url", url]);
    expect([code, levels(findings)]).toEqual([
      1,
      {
        address: "ok",
        readiness: "error",
        metrics: "warning",
        version: "warning",
        document: "warning",
        clock: "warning",
        "anonymous read": "error",
        "no token": "error",
      },
    ]);
    expect(of("daemon", "clock")?.message).toMatch(/^Its clock is 3(59|60)\d s behind this machine's\.$/);
    expect(of("daemon", "readiness")?.message).toBe("Not ready: starting.");
    for (const one of findings) expect([one.subject, one.level === "ok" || one.remedy]).not.toContain(undefined);
  });

  it("it exits 6 when nothing answers, and says when a certificate that it does not trust expires", async () => {
    const gone = await examine(["--url", "http://127.0.0.1:1"]);
    expect([gone.code, levels(gone.findings)]).toEqual([6, { address: "error" }]);
    const certificates = await makeCertificates();
    cleanup.push(() => certificates.remove());
    const [cert, key] = await Promise.all([readFile(certificates.certFile), readFile(certificates.keyFile)]);
    const server = createSecureServer({ cert, key });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanup.push(() => server.close());
    const untrusted = await examine(["--url", `https://127.0.0.1:${(server.address() as AddressInfo).port}`]);
    expect([untrusted.code, levels(untrusted.findings)]).toEqual([6, { tls: "warning", address: "error" }]);
    expect(untrusted.of("daemon", "tls")?.message).toMatch(/^The certificate expires within a day\.$/);
    expect((await anp(["doctor", "--metrics-url", "http://127.0.0.1:1/metrics"], { cwd })).stderr).toContain(
      "--metrics-url goes with --url or --profile.",
    );
  });
});

describe("of the model", () => {
  const model = (base_url: string): object => ({ model: { base_url, model: "answerer-1" } });
  const KEY = { ANP_MODEL_API_KEY: "sk-not-to-be-shown" };

  /** A model's endpoint that lists `names`, where it lists any, and wants the key. */
  const endpoint = (names: readonly string[] | undefined): Promise<string> =>
    serve((request, response) => {
      if (request.headers.authorization !== `Bearer ${KEY.ANP_MODEL_API_KEY}`) response.writeHead(401).end();
      else if (request.url === "/v1/models" && names !== undefined) {
        response.end(JSON.stringify({ data: names.map((id) => ({ id })) }));
      } else if (request.url === "/v1/chat/completions") response.end("{}");
      else response.writeHead(404).end();
    });

  it.for([
    { name: "has the model", names: ["other", "answerer-1"], level: "ok", words: "answers and has answerer-1" },
    { name: "does not list it", names: ["answerer-2"], level: "warning", words: "Did you mean answerer-2?" },
    { name: "lists nothing but answers", names: undefined, level: "ok", words: "answers with answerer-1" },
  ])("it says when the endpoint $name", async ({ names, level, words }) => {
    const { code, stdout, of } = await examine(await configure(model(`${await endpoint(names)}/v1`)), KEY);
    expect(code).toBe(0);
    expect(of("model", "model")).toMatchObject({ level, message: expect.stringContaining(words) as string });
    expect(stdout).not.toContain("sk-not");
  });

  it("asks each provider in its dialect", async () => {
    const azure = await serve((request, response) => {
      const isRight = request.headers["api-key"] === "k2" && request.url === "/d/chat/completions?api-version=1";
      response.writeHead(isRight ? 200 : 404).end("{}");
    });
    const first = `${await endpoint(["answerer-1"])}/v1`;
    const second = {
      base_url: `${azure}/d`,
      model: "other",
      headers: { "api-key": "k2" },
      query: { "api-version": "1" },
    };
    const config = { model: { base_url: first, model: "answerer-1", providers: [second] } };
    const { code, stdout } = await examine(await configure(config), KEY);
    expect(code).toBe(0);
    expect(stdout).toMatch(/answers and has answerer-1/);
    expect(stdout).toMatch(/answers with other in \d+ ms/);
  });

  it("distinguishes a refused key from an endpoint that does not answer", async () => {
    const refused = await examine(await configure(model(`${await endpoint(undefined)}/v1`)));
    expect(refused.code).toBe(1);
    expect(refused.of("model", "model")).toMatchObject({
      level: "error",
      message: expect.stringContaining("answers 401: No key was sent.") as string,
      remedy: "Set ANP_MODEL_API_KEY, or model.api_key_file.",
    });
    const gone = await examine(await configure(model("http://user:secret@127.0.0.1:1/v1")));
    expect(gone.code).toBe(6);
    expect(gone.of("model", "model")?.level).toBe("error");
    expect(gone.stdout).not.toContain("secret");
  });
});

it("reads each news source as a refresh would, and says what to do about each that fails", async () => {
  const url = await serve((request, response) => {
    if (request.url === "/good") response.end(RSS);
    else if (request.url === "/page") response.end("<html>welcome</html>");
    else if (request.url === "/gone") response.writeHead(404).end();
    // Anything else is never answered.
  });
  const source = (id: string, at: string): object => ({ id, name: id, lang: "en", url: at, allow_private: true });
  const args = await configure({
    news: {
      timeout_ms: 3000,
      notices: "missing.json",
      sources: [
        source("good", `${url}/good`),
        source("page", `${url}/page`),
        source("gone", `${url}/gone`),
        source("slow", `${url}/slow`),
      ],
    },
  });
  const { code, findings, of } = await examine(args);
  expect(code).toBe(1);
  expect(findings.filter(({ check }) => check === "news").map(({ subject, level }) => `${subject} ${level}`)).toEqual([
    "good ok",
    "page error",
    "gone error",
    "slow error",
    "notices error",
  ]);
  for (const subject of ["page", "gone", "slow", "notices"]) expect(of("news", subject)?.remedy).toBeDefined();
  expect(of("news", "notices")?.message).toBe("The file missing.json does not exist.");
  expect(of("news", "slow")?.message).toContain("no complete answer within 3000 ms");
});

it("does not ask a source that said to wait, and counts what a long feed has beyond its newest entries", async () => {
  const asked: (string | undefined)[] = [];
  const url = await serve((request, response) => {
    asked.push(request.url);
    if (request.url === "/busy") response.writeHead(429, { "retry-after": "99999999999" }).end();
    else response.end(`<rss><channel>${"<item><title>x</title></item>".repeat(1200)}</channel></rss>`);
  });
  const source = (id: string): object => ({ id, name: id, lang: "en", url: `${url}/${id}`, allow_private: true });
  const [, file] = await configure({ storage: "fs:data", news: { sources: [source("busy"), source("long")] } });
  await anp(["news", "refresh", "--config", file!], { cwd });
  const { of } = await examine(["--config", file!]);
  expect(asked.filter((path) => path === "/busy")).toHaveLength(1);
  expect(of("news", "busy")).toMatchObject({
    level: "warning",
    message: expect.stringMatching(/^It is not asked before 20\S+Z: the server answered 429\.$/) as string,
    remedy: expect.stringMatching(/^Wait: /) as string,
  });
  const message = expect.stringContaining("has 1200 entries; 200 not kept, as a feed's 1000 newest are") as string;
  expect(of("news", "long")).toMatchObject({ level: "warning", message });
});

it("reports a disabled source, with a remedy that fits its status", async () => {
  const url = await serve((request, response) => {
    response.writeHead(request.url === "/gone" ? 410 : 401).end();
  });
  const source = (id: string): object => ({ id, name: id, lang: "en", url: `${url}/${id}`, allow_private: true });
  const [, file] = await configure({ storage: "fs:data", news: { sources: [source("gone"), source("login")] } });
  const { code } = await anp(["news", "refresh", "--config", file!], { cwd });
  expect(code).toBe(6);
  const { stdout } = await anp(["news", "status", "--config", file!], { cwd });
  const [head, gone] = stdout.split("\n");
  expect(head).toBe(
    "id\tkind\tstate\titems\tfailures\tnext_try_at\thttp_status\tlast_ok_at\tread\tkept\texcess\tcut\told\tundated\trefused\telsewhere\t" +
      "unchanged\turl\tlast_error",
  );
  expect(gone).toMatch(/^gone\tnews\tdisabled\t0\t1\t20\S+Z\t410\t{9}0\t{2}http:\S+\tthe server answered 410/);
  const { of } = await examine(["--config", file!]);
  expect(of("storage", "source gone")).toMatchObject({
    level: "warning",
    message: expect.stringContaining("after a failure: the server answered 410 (gone)") as string,
    remedy: expect.stringMatching(/new URL.*`anp news sources test gone`/) as string,
  });
  expect(of("storage", "source login")).toBeUndefined();
  expect(of("news", "login")?.remedy).toContain("credentials");
});

it("reports a help center that has lost its articles", async () => {
  const write = (articles: object[]) => writeFile(join(cwd, "help.json"), JSON.stringify({ articles }));
  const [, file] = await configure({ storage: "fs:data", news: { help: { en: "help.json" } } });
  for (const articles of [[{ id: "a", title: "A" }], []]) {
    expect((await examine(["--config", file!])).of("storage", "source help:en")).toBeUndefined();
    await write(articles);
    await anp(["news", "refresh", "--mode", "full", "--config", file!], { cwd });
  }
  expect((await examine(["--config", file!])).of("storage", "source help:en")).toMatchObject({
    level: "warning",
    message: "It lists no article: its last ones (1) are used.",
    remedy: expect.stringContaining("taken out of the configuration") as string,
  });
});

it.skipIf(noRedis !== undefined)("reports what a Redis may lose, and the setting that prevents it", async () => {
  const redis = await startRedis({
    config: { "maxmemory-policy": "allkeys-lru", maxmemory: "100mb" },
    password: "not-to-be-shown",
  });
  cleanup.push(() => redis.stop());
  const args = [...(await configure({})), "--storage", redis.url()];
  const { code, stdout, of } = await examine(args);
  expect(code).toBe(0);
  expect(of("storage", "appendonly")).toMatchObject({
    level: "warning",
    loses: expect.stringContaining("since the last snapshot") as string,
    remedy: expect.stringContaining("appendonly yes") as string,
  });
  expect(of("storage", "maxmemory-policy")).toMatchObject({ level: "warning" });
  expect(of("storage", "clock")).toMatchObject({ level: "ok" });
  expect(stdout).not.toContain("not-to-be-shown");
  expect((await examine([...args, "--strict"])).code).toBe(1);
  expect(await redis.command("DBSIZE")).toBe(0);

  await redis.kill();
  const gone = await examine(args);
  expect(gone.code).toBe(6);
  expect(gone.findings.filter(({ check }) => check === "storage").map(({ level }) => level)).toEqual(["ok", "error"]);
});

it("shows each check on a terminal as it ends, with what to do", async () => {
  const url = await serve((_request, response) => {
    // By then, the other checks have ended on a busy machine too.
    setTimeout(() => response.end(RSS), 3000);
  });
  const source = { id: "slow", name: "Slow", lang: "en", url, allow_private: true };
  const args = await configure({ news: { sources: [source] } });
  const { code, screen } = await anpInTerminal(["doctor", ...args], { cwd, env: { NO_COLOR: "1" } });
  expect(code).toBe(0);
  const lines = screen.split("\n");
  const at = (words: string): number => lines.findIndex((line) => line.includes(words));
  expect(at("warning  storage: durability")).toBeGreaterThan(-1);
  expect(lines[at("storage: durability") + 1]).toContain("may lose: ");
  expect(lines[at("storage: durability") + 2]).toContain("remedy: ");
  expect(at("ok       news: slow")).toBeGreaterThan(at("versions: node"));
  expect(screen).toContain("0 errors, 1 warning, ");
});
