import { chmod, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { serve, type TestServer } from "../news/server.ts";
import { temporaryFolder } from "../support/folder.ts";
import { anp, spawnAnp } from "./anp.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: TestServer | undefined;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await folder.remove();
});

const RSS =
  '<?xml version="1.0"?><rss version="2.0"><channel><title>The &amp; Wire</title>' +
  "<item><title>One</title><pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate></item><item><title>Two</title></item>" +
  "</channel></rss>";
const YAML = `# Ours.
storage: "fs:data"   # Kept here.

news:
    # The feeds.
    sources:
    -   id: wire # The first.
        name: 'Wire'
        lang: en
        url:  https://anp:hush@wire.example/rss
        headers: {x-key: "\${WIRE_KEY}"}
    # In Chinese.
    -   { id: zh, name: 快讯, lang: zh, url: zh.xml }

    max_items: 10
server: {port: 99}
`;

const run = (args: readonly string[], input?: string) =>
  anp(["news", "sources", ...args, "--config", "anp.yaml"], {
    cwd: folder.path,
    env: { WIRE_KEY: "hush-hush" },
    ...(input !== undefined && { input }),
  });
const file = (): string => join(folder.path, "anp.yaml");
const content = () => readFile(file(), "utf8");

describe("the sources of a configuration file", () => {
  it("are listed without secrets", async () => {
    await writeFile(file(), YAML);
    const { code, stdout } = await run(["list", "--json"]);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      [
        { id: "wire", url: "https://wire.example/rss", headers: ["x-key"], weight: 1 },
        { id: "zh", url: "zh.xml" },
      ],
    ]);
    expect(stdout).not.toContain("hush");
  });

  it("are added and removed in the file, whose other lines, layout and mode stay as they are", async () => {
    await writeFile(file(), YAML);
    await chmod(file(), 0o640);
    const flags = [
      "--name",
      "Desk",
      "--timezone",
      "America/New_York",
      "--category",
      "a: b",
      "--category",
      "c",
      "--weight",
      "2.5",
    ];
    const added = await run(["add", "desk", "https://desk.example/", ...flags, "--header", "X-Key: ${WIRE_KEY}"]);
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining("restart it") as unknown });
    const lines = `    -   id: desk
        name: Desk
        lang: en
        url: https://desk.example/
        timezone: America/New_York
        categories:
          - "a: b"
          - c
        weight: 2.5
        headers:
          X-Key: \${WIRE_KEY}
`;
    expect(await content()).toBe(YAML.replace("\n    max_items", `${lines}\n    max_items`));
    expect((await stat(file())).mode & 0o777).toBe(0o640);
    expect((await run(["remove", "desk"])).code).toBe(0);
    expect(await content()).toBe(YAML);
    expect((await run(["remove", "wire"])).code).toBe(0);
    expect(await content()).toContain("    sources:\n    # In Chinese.\n    -   { id: zh");
    expect(await run(["remove", "wire"])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("no source wire") as string,
    });
  });

  it.for([
    ["quota: {}\n", "news:\n  sources:\n    - id: a\n"],
    ["news:\n  max_items: 5 # Few.\n", "# Few.\n  sources:\n    - id: a\n"],
    ["news: { sources: [ { id: b, name: B, lang: en, url: b.xml } ] } # One.\n", "# One."],
    ['{\n    "news": { "max_items": 5 }\n}\n', '    "news": {\n        "max_items": 5,\n        "sources": [\n'],
  ] as const)("are added to a file like %j", async ([text, has]) => {
    await writeFile(file(), text);
    expect(await run(["add", "a", "a.xml", "--name", "A"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("restart it") as unknown,
    });
    expect(await content()).toContain(has);
    const { news } = parse(await content()) as { news: { sources: object[] } };
    expect(news.sources.at(-1)).toEqual({ id: "a", name: "A", lang: "en", url: "a.xml" });
    expect((await run(["list"])).code).toBe(0);
  });

  it("are added with a warning where the file does not exist, and a note where no language is given", async () => {
    await writeFile(file(), YAML);
    const missing = `${join(folder.path, "later.xml")} does not exist: later has no items until it does.`;
    const assumed = `The language of later is taken to be en: give --lang, or set its lang in ${file()}.`;
    const lacking = await run(["add", "later", "later.xml", "--name", "Later"]);
    expect([lacking.code, lacking.stderr.split("\n").slice(0, 2)]).toEqual([0, [assumed, missing]]);
    await writeFile(join(folder.path, "now.xml"), RSS);
    const good = [
      await run(["add", "now", "now.xml", "--name", "Now", "--lang", "zh"]),
      await run(["add", "far", "feed://far.example/rss", "--name", "Far", "--lang", "en"]),
    ];
    for (const { code, stderr } of good) expect([code, stderr]).toEqual([0, expect.stringMatching(/^A daemon/)]);
  });

  it("are refused by the field that is not valid, or that another one has, and the file stays", async () => {
    await writeFile(file(), YAML);
    const refused = await run(["add", "zh", "zh.xml", "--name", "Wire", "--weight", "99", "--timezone", "Mars"]);
    expect([
      refused.code,
      refused.stderr
        .trim()
        .split("\n")
        .map((line) => line.replace("error: ", "")),
    ]).toEqual([
      2,
      [
        "timezone: must be as +08:00 or Europe/London",
        "weight: must be a number from 0.1 to 10, not 99",
        "id: is that of the source zh already",
        "name: is that of the source wire already",
        "url: is that of the source zh already",
        "See `anp news sources add --help`.",
      ],
    ]);
    expect(await content()).toBe(YAML);
    const none = await anp(["news", "sources", "add", "a", "a.xml", "--name", "A"], { cwd: folder.path });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("--config is missing")]);
  });

  it.each(["HTTPS://Wire.example:443/a", "https://wire.example/a#x", "feed:https://wire.example/a"])(
    "are refused where the address is that of another one, as %s",
    async (url) => {
      await writeFile(file(), "news: { sources: [{ id: w, name: W, lang: en, url: https://wire.example/a }] }");
      const { code, stderr } = await run(["add", "a", url, "--name", "A"]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("url: is that of the source w already") as string]);
      expect((await run(["add", "b", "https://wire.example/A", "--name", "B"])).code).toBe(0);
    },
  );

  it.each(["http://127.0.0.1:8080/rss", "https://localhost/rss", "http://[::1]/rss", "feed://10.0.0.7/rss"])(
    "are added with a warning where %s is not public and may not be",
    async (url) => {
      await writeFile(file(), "{}");
      const warning = "The address of a is not public: without --allow-private (allow_private) it is not read.";
      const added = await run(["add", "a", url, "--name", "A"]);
      expect([added.code, added.stderr]).toEqual([0, expect.stringContaining(warning) as string]);
      const exported = await run(["export"]);
      await writeFile(file(), "{}");
      expect((await run(["import", "-"], exported.stdout)).stderr).toContain("is not public");
      await writeFile(file(), "{}");
      const allowed = await run(["add", "a", url, "--name", "A", "--allow-private"]);
      expect([allowed.code, allowed.stderr]).toEqual([0, expect.not.stringContaining("public") as string]);
    },
  );

  it.each([
    [["http://exa mple/"], "url: must be an http(s) URL or a path relative to the config file"],
    [["https://[::1/"], "url: must be an http(s) URL or a path relative to the config file"],
    [["a.xml", "--header", "no-colon"], "--header must be NAME: VALUE."],
    [["a.xml", "--header", ": b"], "--header must be NAME: VALUE."],
    [["a.xml", "--header", "Host: b"], "headers.Host: must be the name of a header that the connection does not set"],
  ])("are refused as %j", async ([url, ...flags], fault) => {
    await writeFile(file(), YAML);
    const { code, stderr } = await run(["add", "a", url!, "--name", "A", ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(fault) as string]);
    expect(await content()).toBe(YAML);
  });

  it("are all added where several processes add some at the same moment", async () => {
    await writeFile(file(), YAML);
    const ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const argsOf = (id: string) => ["add", id, `https://${id}.example/`, "--name", id.toUpperCase()];
    const added = ids.slice(2).map((id) => run(argsOf(id)));
    const spawned = ids.slice(0, 2).map((id) => {
      const args = ["news", "sources", ...argsOf(id), "--config", "anp.yaml"];
      return spawnAnp(args, { cwd: folder.path, env: { WIRE_KEY: "x" } });
    });
    for (const { code, stderr } of await Promise.all([...added, ...spawned])) {
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/^(?:The language of .*\n)?A daemon .*restart it\.\n$/),
      ]);
    }
    const { news } = parse(await content()) as { news: { sources: { id: string }[] } };
    expect(news.sources.map(({ id }) => id).sort()).toEqual([...ids, "wire", "zh"]);
    expect(await readdir(folder.path)).toEqual(["anp.yaml"]);
  });

  it("wait for another process that changes the file, and name its lock if that does not end", async () => {
    await writeFile(file(), YAML);
    await writeFile(`${file()}.lock`, "");
    const adding = run(["add", "a", "a.xml", "--name", "A"]);
    await rm(`${file()}.lock`);
    expect((await adding).code).toBe(0);
    const before = await content();
    await writeFile(`${file()}.lock`, "");
    const { code, stderr } = await run(["remove", "a", "--yes"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("anp.yaml.lock") as string]);
    expect(await content()).toBe(before);
  });

  it("come and go as OPML, nested outlines as categories; known ones are skipped and wrong ones told", async () => {
    await writeFile(file(), "news: { sources: [{ id: old, name: Old, lang: en, url: https://old.example/ }] }\n");
    const opml = `<opml version="2.0"><body><outline text="Crypto"><outline text="Deep">
      <outline text="A &amp; B" xmlUrl="https://a.example/?x=1&amp;y=2" language="zh-CN" category="x,/y/z"/></outline>
      <outline text="West" xmlUrl="https://west.example/" timezone="-05:00" weight="2.5"/>
      <outline text="Again" xmlUrl="https://old.example/"/><outline text="None"/></outline>
      <outline text="币圈" xmlUrl="https://b.example/"/><outline text="Bad" xmlUrl="ftp://c.example/"/></body></opml>`;
    const { code, stdout, stderr } = await run(["import", "-", "--lang", "zh"], opml);
    expect([code, stdout]).toEqual([8, "added\tskipped\trefused\n3\t1\t1\n"]);
    expect(stderr).toContain("https://old.example/ is there already.");
    expect(stderr).toContain("Bad: url: must be an http(s) URL");
    const [, a, west, b] = (parse(await content()) as { news: { sources: object[] } }).news.sources;
    const categories = ["Crypto", "Deep", "x", "y", "z"];
    expect(a).toEqual({ id: "a-b", name: "A & B", lang: "zh", url: "https://a.example/?x=1&y=2", categories });
    expect(b).toEqual({ id: "b.example", name: "币圈", lang: "zh", url: "https://b.example/" });
    expect(west).toMatchObject({ timezone: "-05:00", weight: 2.5 });
    const before = JSON.parse((await run(["list", "--json"])).stdout) as object[];
    const exported = await run(["export"]);
    await writeFile(file(), "{}");
    await writeFile(join(folder.path, "feeds.opml"), exported.stdout);
    expect((await run(["import", "feeds.opml"])).code).toBe(0);
    expect(JSON.parse((await run(["list", "--json"])).stdout)).toEqual(before);
    expect(await run(["import", "-"], "<html>")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("FILE - is not OPML.") as string,
    });
  });
});

describe("OPML", () => {
  const opmlOf = (...names: string[]) =>
    `<opml version="2.0"><body>${names.map((name, at) => `<outline text="${name}" xmlUrl="https://n.example/${at}"/>`).join("")}</body></opml>`;
  const listed = async () => JSON.parse((await run(["list", "--json"])).stdout) as { id: string; name: string }[];

  it("is imported whole, however alike its names are", async () => {
    await writeFile(
      file(),
      "news: { sources: [{ id: n.example-2, name: Old, lang: en, url: https://old.example/ }] }\n",
    );
    const names = ["要闻", "快讯", "公告", "", "…", "要闻"];
    expect(await run(["import", "-"], opmlOf(...names))).toMatchObject({
      code: 0,
      stdout: "added\tskipped\trefused\n6\t0\t0\n",
    });
    const [, ...added] = await listed();
    expect(added.map(({ name }) => name)).toEqual(["要闻", "快讯", "公告", "n.example", "…", "要闻"]);
    expect(new Set(added.map(({ id }) => id)).size).toBe(6);
    for (const { id } of added) expect(id).toMatch(/^n\.example(?:-\d+)?$/);
  });

  it("is imported with the feeds below feeds, and addresses for feed readers", async () => {
    await writeFile(file(), "{}");
    const opml = `<opml version="2.0"><body><outline text="Wire" xmlUrl="feed://wire.example/rss"><outline text="Sub">
      <outline text="Deep" xmlUrl="feed:https://deep.example/rss"/></outline></outline></body></opml>`;
    expect((await run(["import", "-"], opml)).stdout).toBe("added\tskipped\trefused\n2\t0\t0\n");
    expect((await run(["import", "-"], opml)).stdout).toBe("added\tskipped\trefused\n0\t2\t0\n");
    expect(await listed()).toMatchObject([
      { name: "Wire", url: "http://wire.example/rss", categories: [] },
      { name: "Deep", url: "https://deep.example/rss", categories: ["Wire", "Sub"] },
    ]);
    expect((await run(["add", "a", "feed://a.example/", "--name", "A"])).code).toBe(0);
    await writeFile(file(), "news: { sources: [{ id: b, name: B, lang: en, url: 'feed://b.example/' }] }");
    expect(await listed()).toMatchObject([{ url: "http://b.example/" }]);
  });

  it("gives the second of two sites with one name its host, and feeds of one site the same name", async () => {
    await writeFile(file(), "news: { sources: [{ id: a, name: News, lang: en, url: https://a.example/ }] }");
    const outline = (url: string) => `<outline text="News" xmlUrl="https://${url}"/>`;
    const urls = ["www.b.example/1", "www.b.example/2", "feeds.a.example/x", "c.example/"];
    const opml = `<opml version="2.0"><body>${urls.map(outline).join("")}</body></opml>`;
    expect((await run(["import", "-"], opml)).code).toBe(0);
    const other = "News (www.b.example)";
    expect((await listed()).map(({ name }) => name)).toEqual(["News", other, other, "News", "News (c.example)"]);
  });

  it("is read in the charset that it declares", async () => {
    await writeFile(file(), "{}");
    const [before, after] = opmlOf("|").split("|");
    const declared = `<?xml version="1.0" encoding="gb2312"?>${before}`;
    const bytes = Buffer.concat([Buffer.from(declared), Buffer.from("scjM2LHS", "base64"), Buffer.from(after!)]);
    await writeFile(join(folder.path, "gb.opml"), bytes);
    expect((await run(["import", "gb.opml"])).code).toBe(0);
    expect(await listed()).toMatchObject([{ id: "n.example", name: "比特币" }]);
  });

  it("gives the same sources when it is exported and imported again", async () => {
    const sources = [
      { id: "w1", name: "Wire", lang: "en", url: "https://w.example/", timezone: "Europe/London", weight: 2 },
      { id: "w2", name: "Wire", lang: "zh", url: "zh.xml", categories: ["a,b", "c/d", "e 100%"], allow_private: true },
      { id: "x.y", name: "快讯 & <b>", lang: "zh", url: "https://q.example/" },
    ];
    await writeFile(file(), JSON.stringify({ news: { sources } }));
    const before = await listed();
    const { stdout } = await run(["export"]);
    await writeFile(file(), "{}");
    expect((await run(["import", "-"], stdout)).code).toBe(0);
    expect(await listed()).toEqual(before);
  });
});

it("a header whose variable is not set is refused at once", async () => {
  await writeFile(file(), "{}");
  const added = await run(["add", "a", "a.xml", "--name", "A", "--header", "Authorization: ${NOPE}"]);
  expect(added).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      "headers.Authorization: cannot be filled in: the variable NOPE is not set",
    ) as string,
  });
  expect(await content()).toBe("{}");
});

describe("a source that is tested", () => {
  it("shows what a refresh would read", async () => {
    server = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/xml; charset=iso-8859-1" }).end(RSS);
    });
    await writeFile(file(), "storage: fs:data\n");
    const { code, stdout } = await run([
      "test",
      server.url,
      "--allow-private",
      "--json",
      "--now",
      "2026-11-20T12:00:00Z",
    ]);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        ...{ status: 200, format: "RSS", title: "The & Wire", charset: "iso-8859-1", enabled: false },
        ...{
          read: 2,
          kept: 2,
          excess: 0,
          cut: 0,
          old: 0,
          undated: 1,
          refused: 0,
          newest_at: "2026-11-20T08:00:00.000Z",
        },
      },
    ]);
    expect(await run(["test", server.url])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("set allow_private of the source") as string,
    });
    expect((await run(["test", "none"])).code).toBe(5);
  });

  it.for([
    [500, "Its server fails: wait until it works again"],
    [503, "Its server fails: wait until it works again"],
    [404, "Its address has changed"],
  ] as const)("names a remedy that fits the status %i", async ([status, remedy]) => {
    server = await serve((_, response) => void response.writeHead(status).end());
    await writeFile(file(), "storage: fs:data\n");
    const tested = await run(["test", server.url, "--allow-private"]);
    expect(tested).toMatchObject({ code: 6, stderr: expect.stringContaining(remedy) as string });
  });

  it("is enabled by it once it answers", async () => {
    let status = 410;
    server = await serve((_, response) => {
      response.writeHead(status).end(RSS);
    });
    const source = `{ id: a, name: A, lang: en, url: "${server.url}", allow_private: true }`;
    await writeFile(file(), `storage: fs:data\nnews: { sources: [${source}] }\n`);
    const news = (verb: string) => anp(["news", verb, "--config", "anp.yaml"], { cwd: folder.path });
    expect((await news("refresh")).code).toBe(6);
    expect(await run(["test", "a"])).toMatchObject({ code: 6, stderr: expect.stringContaining("new URL") as string });
    status = 200;
    await news("refresh");
    expect((await news("status")).stdout).toContain("a\tnews\tdisabled\t0\t1\t");
    const tested = await run(["test", "a", "--json"]);
    expect(JSON.parse(tested.stdout)).toMatchObject({ read: 2, enabled: true });
    expect((await news("refresh")).code).toBe(0);
    expect((await news("status")).stdout).toContain("a\tnews\tok\t2\t0\t");
  });
});
