import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { printLocation, type ReaderOptions, readSource } from "../../../src/news/sources/fetch-source.ts";
import { serve, type TestServer } from "../server.ts";

const NONE = { etag: null, lastModified: null };
const options = (more: Partial<ReaderOptions> = {}): ReaderOptions => ({
  baseDir: import.meta.dirname,
  timeoutMs: 5000,
  maxBytes: 10_000,
  fetch,
  ...more,
});

let server: TestServer | undefined;
afterEach(() => server?.close());

describe("a remote source", () => {
  test("gives its bytes, its type and what it is known by", async () => {
    server = await serve((_, response) => {
      response
        .writeHead(200, { "content-type": "text/xml; charset=gbk", etag: '"a"', "last-modified": "x" })
        .end("body");
    });
    const reading = await readSource(`${server.url}/feed`, NONE, options());
    expect(reading).toEqual({
      changed: true,
      bytes: Buffer.from("body"),
      contentType: "text/xml; charset=gbk",
      validators: { etag: '"a"', lastModified: "x" },
      url: `${server.url}/feed`,
    });
  });

  test("is asked with what it was known by, and may say that nothing changed", async () => {
    server = await serve((request, response) => {
      response.writeHead(request.headers["if-none-match"] === '"a"' ? 304 : 200).end();
    });
    expect(await readSource(server.url, { etag: '"a"', lastModified: "then" }, options())).toEqual({ changed: false });
    expect(server.requests[0]?.headers["if-modified-since"]).toBe("then");
  });

  test("fails by status", async () => {
    server = await serve((_, response) => {
      response.writeHead(500).end("oops");
    });
    await expect(readSource(server.url, NONE, options())).rejects.toMatchObject({
      name: "SourceError",
      failure: "status",
      message: "the server answered 500",
    });
  });

  test("fails when the body does not end in time", async () => {
    server = await serve((_, response) => {
      response.writeHead(200).write("<rss>");
    });
    await expect(readSource(server.url, NONE, options({ timeoutMs: 50 }))).rejects.toMatchObject({
      failure: "timeout",
    });
  });

  test("fails when the body is cut off", async () => {
    server = await serve((_, response) => {
      response.writeHead(200, { "content-length": "1000" }).write("<rss>", () => response.destroy());
    });
    await expect(readSource(server.url, NONE, options())).rejects.toMatchObject({ failure: "network" });
  });

  test("fails when the body is too large, whatever length it declares", async () => {
    server = await serve((_, response) => {
      response.writeHead(200).end(Buffer.alloc(10_001, "a"));
    });
    await expect(readSource(server.url, NONE, options())).rejects.toMatchObject({
      failure: "too_large",
      message: "more than 10000 bytes",
    });
  });

  test("fails when a small compressed body becomes too large", async () => {
    server = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(5_000_000, "a")));
    });
    await expect(readSource(server.url, NONE, options())).rejects.toMatchObject({ failure: "too_large" });
  });

  test("is followed over redirects, and known by where it ended", async () => {
    server = await serve((request, response) => {
      if (request.url === "/old") response.writeHead(302, { location: "/new" }).end();
      else response.writeHead(200).end("new");
    });
    expect(await readSource(`${server.url}/old`, NONE, options())).toMatchObject({ url: `${server.url}/new` });
  });

  test("fails in a redirect loop after five", async () => {
    server = await serve((_, response) => {
      response.writeHead(301, { location: "/again" }).end();
    });
    await expect(readSource(server.url, NONE, options())).rejects.toMatchObject({ failure: "redirect" });
    expect(server.requests).toHaveLength(6);
  });

  test("is not followed out of HTTP", async () => {
    server = await serve((_, response) => {
      response.writeHead(302, { location: "file:///etc/passwd" }).end();
    });
    await expect(readSource(server.url, NONE, options())).rejects.toMatchObject({ failure: "redirect" });
  });

  test("gets the credentials of its URL, and another origin does not", async () => {
    const other = await serve((_, response) => {
      response.writeHead(200).end("x");
    });
    server = await serve((_, response) => {
      response.writeHead(302, { location: other.url }).end();
    });
    await readSource(server.url.replace("//", "//user:pass@"), NONE, options());
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from("user:pass").toString("base64")}`);
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
    await other.close();
  });

  test("fails when the connection is refused, naming the reason and no credentials", async () => {
    server = await serve(() => undefined);
    const { url } = server;
    await server.close();
    await expect(readSource(url, NONE, options())).rejects.toMatchObject({
      failure: "network",
      message: "the connection failed (ECONNREFUSED)",
    });
    expect(printLocation("https://user:pass@news.example/feed")).toBe("https://news.example/feed");
  });
});

describe("a local source", () => {
  test("is read relative to the config's folder", async () => {
    const reading = await readSource("fetch-source.test.ts", NONE, options({ maxBytes: 1_000_000 }));
    expect(reading.changed && Buffer.from(reading.bytes).toString()).toContain("relative to the config");
  });

  test("fails when it does not exist, is too large or is a folder", async () => {
    await expect(readSource("none.xml", NONE, options())).rejects.toMatchObject({ failure: "not_found" });
    await expect(readSource("fetch-source.test.ts", NONE, options({ maxBytes: 10 }))).rejects.toMatchObject({
      failure: "too_large",
    });
    await expect(readSource(".", NONE, options())).rejects.toMatchObject({ failure: "unreadable" });
  });
});
