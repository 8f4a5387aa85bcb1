import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { plainLine } from "../../../src/language/plain-text.ts";
import { serve, type TestServer } from "../server.ts";
import { createWorld, HOUR, type World } from "../world.ts";

let world: World;
let server: TestServer | undefined;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(async () => {
  await world.close();
  await server?.close();
  server = undefined;
});

const help = async (news: ReturnType<World["news"]>) => {
  await news.refresh("full");
  const { coverage, sources } = await news.status();
  const [{ state, last_error, last_read }] = sources as [(typeof sources)[number]];
  const titles = (await news.current()).help.map(({ title }) => title);
  return { coverage: coverage["help"], state, last_error, last_read, titles };
};

describe("a help center that is a folder", () => {
  it("has an article a file, with the fields of its front matter, or those of its path and heading", async () => {
    const front =
      "---\r\nid: 7\ntitle: Fees: all\nlang: en-GB\nurl: https://x.example/fees\nquestions:\n  - What does it cost?\n" +
      "aliases: price list\nupdated_at: 2026-11-01\nunknown: x\n---\n# Ignored\n\n**0.1%** a trade";
    await world.write("help/fees.md", `\ufeff${front.replace("Fees: all", '"Fees: all"')}`);
    await world.write("help/money/withdraw.html", "<head><title>Take &amp; go</title></head><body><p>Soon.</p></body>");
    await world.write("help/money/plain.markdown", "intro\n\n## How to *pay*\nBy card.");
    await world.write("help/费用.md", "---\nlang: zh\n---\n# 费用\n免费");
    await world.write("help/money/set.md", "How to *set*\n===\nSo.");
    await world.write("help/broken.md", "---\ntitle: [\n---\n# Broken");
    await world.write("help/untitled.md", "no heading");
    await world.write("help/.draft.md", "# Draft");
    await world.write("help/later.md", "---\ndraft: true\n---\n# Later");
    await world.write("help/notes.txt", "# Notes");
    const news = world.news({ help: { en: "help", zh: "help" } });
    const { coverage, last_read } = await help(news);
    expect(coverage).toEqual({ zh: 4, en: 4 });
    expect(last_read).toMatchObject({ refused: 2 });
    const articles = (await news.current()).help.filter(({ lang }) => lang === "en");
    expect(articles).toEqual([
      {
        ...{ id: "7", title: "Fees: all", lang: "en", category: "", url: "https://x.example/fees" },
        ...{ body: "# Ignored\n\n**0.1%** a trade", aliases: ["What does it cost?", "price list"] },
        updated_at: "2026-11-01T00:00:00.000Z",
      },
      expect.objectContaining({ id: "money/plain", title: "How to pay", updated_at: null }),
      expect.objectContaining({ id: "money/set", title: "How to set", body: "\nSo." }),
      expect.objectContaining({ id: "money/withdraw", title: "Take & go", body: "<p>Soon.</p></body>" }),
    ]);
  });

  it("reads of a page its article alone, under the heading that it has there", async () => {
    const page = (main: string): string =>
      `<!doctype html><html><head><title>Colours | Help Center</title></head><body><header><h1>Coldbox</h1><a>Log in</a></header>
      <nav>Home</nav>${main}<aside>Was this article helpful?</aside><footer>&copy; 2026</footer></body></html>`;
    await world.write(
      "help/a.html",
      page("<main><svg><title>Icon</title></svg><h1>Our colours</h1><p>Red.</p></main>"),
    );
    await world.write(
      "help/b.html",
      page("<div><h1><img src=x></h1><p>Blue.</p></div>").replace("<h1>Coldbox</h1>", ""),
    );
    await world.write("help/c.html", page("<main><h2>Sizes</h2><p>Big.</p></main>"));
    await world.write("help/d.html", "<h1>Fees</h1><article>None.</article>");
    const news = world.news({ help: { en: "help" } });
    expect(await help(news)).toMatchObject({
      titles: ["Our colours", "Colours | Help Center", "Colours | Help Center", "Fees"],
    });
    const texts = (await news.current()).help.map(({ body }) => plainLine(body));
    expect(texts).toEqual(["Red.", "Blue.", "Sizes Big.", "None."]);
  });

  it("names what it leaves out, a link that leads nowhere too, and keeps the rest", async () => {
    await world.write("help/a.md", "# A");
    await world.write("help/broken.md", "---\ntitle: [\n---\n# Broken");
    await world.write("help/untitled.md", "no heading");
    await world.write("help/b.md", "---\nid: a\n---\n# Again");
    await symlink("nowhere.md", join(world.folder, "help/lost.md"));
    const news = world.news({ help: { en: "help" } });
    expect(await help(news)).toMatchObject({ state: "ok", titles: ["A"], last_read: { read: 5, refused: 4 } });
    expect(world.log.map(({ message }) => message)).toEqual([
      "the news source help:en: 4 not valid; b.md has the id of another; " +
        "broken.md has front matter that is not YAML; lost.md cannot be read; untitled.md has no valid title",
    ]);
  });

  it("names the fields of its front matter that are not valid, keeps what has only no date, and takes blanks for absent", async () => {
    await world.write("help/a.md", "---\nquestions: one string\nupdated_at: yesterday\n---\n# A");
    await world.write("help/b.md", "---\nlang: fr\n---\n# B");
    await world.write("help/c.md", "---\nlang: [en]\nupdated_at: {}\n---\n# C");
    await world.write("help/c2.md", "---\nlang: { en: 1 }\n---\n# C");
    await world.write("help/d.md", "---\ntitle:\nquestions:\nupdated_at:\nlang:\nurl: ''\n---\n# D");
    const news = world.news({ help: { en: "help" } });
    expect(await help(news)).toMatchObject({ titles: ["A", "D"], last_read: { read: 5, undated: 2, refused: 3 } });
    expect((await news.current()).help[0]).toMatchObject({ aliases: ["one string"], updated_at: null });
    expect(world.log.map(({ message }) => message)).toEqual([
      "the news source help:en: 3 not valid; b.md has no valid lang; c.md has no valid updated_at; c2.md has no valid lang; " +
        "a.md is kept without a date, as its updated_at is not valid",
    ]);
  });

  it("names its files in the other language, unless that language's help center reads them", async () => {
    await world.write("help/a.md", "# A");
    await world.write("help/费用.md", "---\nlang: zh-CN\n---\n# 费用\n免费");
    await world.write("help/zh/提现.md", "---\nlang: zh\n---\n# 提现\n很快");
    await world.write("help/zh/later.md", "---\nlang: zh\ndraft: true\n---\n# Later");
    const warnings = async (zh?: string) => {
      world.log.length = 0;
      const found = await help(world.news({ help: { en: "help", ...(zh !== undefined && { zh }) } }));
      return [found.coverage, world.log.map(({ message }) => message).filter((text) => !text.includes("failed"))];
    };
    const named = "has lang zh: set news.help.zh to its folder";
    const all = `the news source help:en: 2 not valid; zh/提现.md ${named}; 费用.md ${named}`;
    expect(await warnings()).toEqual([{ zh: 0, en: 1 }, [all]]);
    const one = `the news source help:en: 1 not valid; 费用.md ${named}`;
    expect(await warnings("./help/zh/")).toEqual([{ zh: 1, en: 1 }, [one]]);
    expect(await warnings("./help")).toEqual([{ zh: 3, en: 1 }, []]);
    expect(await warnings("helper")).toMatchObject([{ en: 1 }, [all]]);
  });

  it("keeps its articles when it becomes too large", async () => {
    await world.write("help/a.md", "# A");
    const news = world.news({ help: { en: "help" }, max_bytes: 1024 });
    expect(await help(news)).toMatchObject({ titles: ["A"] });
    await world.write("help/b.md", `# B\n${"x".repeat(1024)}`);
    expect(await help(news)).toMatchObject({
      state: "failed",
      last_error: "more than 1024 bytes with b.md",
      titles: ["A"],
    });
  });
});

/** Answers as a help center does: each page names the next one. */
async function serveArticles(answer: (page: number) => object | number | "cut") {
  server = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://x");
    const page = Number(searchParams.get("page[after]") ?? 0);
    const said = pathname === "/api/v2/help_center/en-us/articles.json" ? answer(page) : 404;
    if (typeof said === "number") response.writeHead(said, { "retry-after": "7200" }).end();
    else if (said === "cut") response.writeHead(200, { "content-length": "999" }).write("{", () => response.destroy());
    else response.end(JSON.stringify(said));
  });
  return `${server.url}/api/v2/help_center/en-us/articles.json`;
}

const article = (id: number, more = {}) => ({
  ...{ id, title: `Article ${id}`, body: "<p>Text</p>", html_url: `https://x.example/${id}`, label_names: ["word"] },
  ...{ updated_at: "2026-11-01T00:00:00Z", draft: false, section_id: 1 },
  ...more,
});

const MANY = Array.from({ length: 60 }, (_, at) => `label ${at}`);
const pageOf = (page: number, has_more: boolean, next = page + 1) => ({
  articles: [
    article(page * 2, { user_segment_id: null, ...(page === 2 && { label_names: ["x".repeat(301), ...MANY] }) }),
    article(page * 2 + 1, page === 1 ? { draft: true } : { body: null, label_names: [] }),
    article(100 + page, { user_segment_id: 42 }), // For agents.
  ],
  meta: { has_more },
  links: { next: has_more ? `/api/v2/help_center/en-us/articles.json?page[after]=${next}` : null },
});

describe("a help center that speaks Zendesk's API", () => {
  it("is read page by page, with the source's credentials, without drafts and what is for some readers alone", async () => {
    const url = await serveArticles((page) => pageOf(page, page < 2));
    const news = world.news({ allow_private: true, help: { en: url.replace("//", "//me%2Ftoken:hush@") } });
    expect(await help(news)).toMatchObject({
      ...{ state: "ok", coverage: { en: 5, zh: 0 }, last_read: { read: 5, refused: 0 } },
      titles: [0, 1, 2, 4, 5].map((id) => `Article ${id}`),
    });
    const [first] = (await news.current()).help;
    expect(first).toMatchObject({ id: "0", url: "https://x.example/0", body: "<p>Text</p>", aliases: ["word"] });
    expect(first?.updated_at).toBe("2026-11-01T00:00:00.000Z");
    expect(server!.requests[0]!.url).toContain("page%5Bsize%5D=100");
    const login = `Basic ${Buffer.from("me/token:hush").toString("base64")}`;
    expect(server!.requests.map(({ headers }) => headers.authorization)).toEqual([login, login, login]);
  });

  it("is read but for the articles that are not valid", async () => {
    const { html_url: _, ...linkless } = article(1);
    const { updated_at: __, ...undated } = article(2);
    const articles = [linkless, undated, article(3, { body: 5 }), article(4, { title: null }), article(5)];
    const url = await serveArticles(() => ({ articles, meta: { has_more: false }, links: {} }));
    const read = await help(world.news({ allow_private: true, help: { en: url } }));
    expect(read).toMatchObject({ state: "ok", last_read: { read: 5 } });
    expect(read.titles).toContain("Article 5");
    expect(read.titles).not.toContain("Article 3");
  });

  it.for([
    ["is asked to wait within it", 429, "the server answered 429"],
    ["is cut within it", "cut", /^the connection failed/],
    ["comes to a page again", pageOf(1, true, 1), "the listing of articles does not end"],
    ["does not get a cursor", { articles: [] }, "the content is not a page of articles with a cursor"],
    [
      "is sent to another server",
      { ...pageOf(1, true), links: { next: "http://127.0.0.1:1/" } },
      "a page of articles leads to another server",
    ],
    ["does not get the next page", { ...pageOf(1, true), links: {} }, "a page of articles does not name the next one"],
  ] as const)("keeps its last complete listing when a reader %s", async ([, fault, reason]) => {
    let isWell = true;
    const url = await serveArticles((page) => (isWell || page === 0 ? pageOf(page, page < 1) : fault));
    const news = world.news({ allow_private: true, help: { en: url } });
    const { titles } = await help(news);
    isWell = false;
    const failed = await help(news);
    expect(failed).toMatchObject({ state: "failed", titles, coverage: { en: 3 } });
    expect(failed.last_error).toMatch(reason);
    const asked = server!.requests.length;
    world.clock.advance(HOUR);
    await help(news);
    if (fault === 429) expect(server!.requests).toHaveLength(asked);
  });

  it("is not read for ever, and what never was complete is unknown", async () => {
    const url = await serveArticles((page) => pageOf(page, true));
    const news = world.news({ allow_private: true, help: { en: url } });
    expect(await help(news)).toMatchObject({
      ...{ state: "failed", titles: [], coverage: { en: "unknown", zh: 0 } },
      last_error: "the listing of articles does not end",
    });
    expect(server!.requests).toHaveLength(200);
  });
});

it("the password of one language's help center is not kept with the other's", async () => {
  await world.write("help/a.md", "# A");
  const news = world.news({ help: { en: "help", zh: "https://anp:hush@127.0.0.1:9/help.json" } });
  await news.refresh("full");
  for await (const key of world.storage.keys(["news"])) expect(await world.storage.get(key)).not.toContain("hush");
});

describe("a help center that had articles and lists none", () => {
  const listing = (articles: unknown[]): string => JSON.stringify({ articles });
  const fees = { id: "fees", title: "Fees" };

  it.each(["file", "server"])("on a %s keeps them, and is empty with a warning", async (kind) => {
    let content = listing([]);
    server = await serve((_, response) => response.end(content));
    const place = kind === "file" ? "help.json" : server.url;
    const write = async (text: string) => {
      content = text;
      await world.write("help.json", text);
    };
    await write(content);
    const news = world.news({ help: { en: place }, allow_private: true });
    expect(await help(news)).toMatchObject({ state: "ok", coverage: { en: 0 } }); // It never had any.
    await write(listing([fees]));
    expect(await help(news)).toMatchObject({ state: "ok", titles: ["Fees"] });
    expect(world.log).toEqual([]);
    for (const none of [listing([]), listing([{ id: "fees" }]), listing([])]) {
      await write(none);
      expect(await help(news)).toMatchObject({ state: "empty", titles: ["Fees"], coverage: { en: 1 } });
      expect(world.log.splice(0).at(-1)).toMatchObject({
        level: "warn",
        message: "the news source help:en is empty; its last good content stays",
        fields: { remedy: expect.stringContaining("taken out of the configuration") as string },
      });
    }
    const without = world.news({});
    await without.refresh("full");
    expect((await without.current()).help).toEqual([]);
  });
});
