import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import {
  NO_VALIDATORS,
  type Location,
  printLocation,
  type ReaderOptions,
  readSource as readPlace,
} from "../../../src/news/sources/read-source.ts";
import { createSourceFetch, isPublicAddress } from "../../../src/news/sources/public-fetch.ts";
import { remedyOf, type SourceError } from "../../../src/news/sources/source-error.ts";
import { serve, type TestServer } from "../server.ts";

const NONE = NO_VALIDATORS;
type Options = ReaderOptions & Omit<Location, "location"> & { readonly allowPrivate: boolean };

const readSource = (location: string, known: typeof NONE, more: Options) =>
  readPlace({ location, allowPrivate: more.allowPrivate, headers: more.headers }, known, more);

const options = (more: Partial<Options> = {}): Options => ({
  baseDir: import.meta.dirname,
  timeoutMs: 5000,
  maxBytes: 10_000,
  fetch: createSourceFetch("https://example.com/contact"),
  now: () => Date.parse("2026-11-20T12:00:00Z"),
  allowPrivate: true,
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
      bytes: Buffer.from("body"),
      contentType: "text/xml; charset=gbk",
      validators: { etag: '"a"', last_modified: "x" },
      url: `${server.url}/feed`,
      status: 200,
    });
  });

  test("is asked with what it was known by, and may say that nothing changed", async () => {
    server = await serve((request, response) => {
      response.writeHead(request.headers["if-none-match"] === '"a"' ? 304 : 200).end();
    });
    expect(await readSource(server.url, { etag: '"a"', last_modified: "then" }, options())).toBeUndefined();
    expect(server.requests[0]?.headers["if-modified-since"]).toBe("then");
  });

  test("is empty without content", async () => {
    server = await serve((_, response) => void response.writeHead(204).end());
    await expect(readSource(server.url, NONE, options())).rejects.toMatchObject({
      failure: "empty",
      message: "the server answered 204, which has no content",
    });
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

  test("is of its Content-Location where that is one", async () => {
    const places: Record<string, string> = { "/1": "/news/", "/2": "https://w.example/", "/3": "javascript:alert(1)" };
    server = await serve((request, response) => {
      response.writeHead(200, { "content-location": places[request.url!]! }).end("x");
    });
    const urls = await Promise.all(
      Object.keys(places).map(async (path) => (await readSource(`${server!.url}${path}`, NONE, options()))?.url),
    );
    expect(urls).toEqual([`${server.url}/news/`, "https://w.example/", `${server.url}/3`]);
  });

  test("fails after five redirects", async () => {
    server = await serve((request, response) => {
      response.writeHead(301, { location: `${request.url}0` }).end();
    });
    await expect(readSource(server.url, NONE, options())).rejects.toMatchObject({ failure: "redirect" });
    expect(server.requests).toHaveLength(6);
  });

  test("fails in a redirect loop at once, and the remedy is not its target", async () => {
    server = await serve((_, response) => {
      response.writeHead(301, { location: "/again" }).end();
    });
    const error = (await readSource(server.url, NONE, options()).catch((thrown: unknown) => thrown)) as SourceError;
    expect([error.failure, error.message]).toEqual(["redirect", "it redirects to itself"]);
    expect(remedyOf(error)).toContain("its server is misconfigured");
    expect(server.requests).toHaveLength(2);
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

  test("gets the headers of its configuration, and another origin does not", async () => {
    const other = await serve((_, response) => {
      response.writeHead(200).end("x");
    });
    server = await serve((_, response) => {
      response.writeHead(302, { location: other.url }).end();
    });
    const headers = { Authorization: "Bearer t", "X-Key": "k", "User-Agent": "reader" };
    await readSource(server.url.replace("//", "//user:pass@"), NONE, options({ headers }));
    const [first, second] = [server.requests[0]!.headers, other.requests[0]!.headers];
    expect(first).toMatchObject({ authorization: "Bearer t", "x-key": "k", "user-agent": "reader" });
    expect([second.authorization, second["x-key"], second["user-agent"]]).toEqual([
      undefined,
      undefined,
      expect.stringMatching(/^anp\//),
    ]);
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

describe("an address that is not public", () => {
  const guarded = options({ allowPrivate: false });

  test.each([
    ["8.8.8.8", true],
    ["2606:4700::1111", true],
    ["127.0.0.1", false],
    ["10.1.2.3", false],
    ["172.16.0.1", false],
    ["192.168.1.1", false],
    ["169.254.169.254", false],
    ["100.64.0.1", false],
    ["0.0.0.0", false],
    ["224.0.0.1", false],
    ["255.255.255.255", false],
    ["::", false],
    ["::1", false],
    ["::127.0.0.1", false],
    ["::ffff:127.0.0.1", false],
    ["::ffff:8.8.8.8", false],
    ["64:ff9b::7f00:1", false],
    ["2002:7f00:1::1", false],
    ["2001:0:1::1", false],
    ["fe80::1", false],
    ["fec0::1", false],
    ["fd00::1", false],
    ["ff02::1", false],
    ["not an address", false],
  ])("is distinguished from others: %s is public: %s", (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });

  test("is not connected to, in any form and by any name", async () => {
    server = await serve((_, response) => {
      response.end("secret");
    });
    const port = new URL(server.url).port;
    for (const host of [
      "127.0.0.1",
      "2130706433",
      "0177.0.0.1",
      "0x7f.1",
      "127.1",
      "[::ffff:127.0.0.1]",
      "localhost",
    ]) {
      await expect(readSource(`http://${host}:${port}/`, NONE, guarded), host).rejects.toMatchObject({
        failure: "address",
      });
    }
    expect(server.requests).toHaveLength(0);
  });

  test("is not connected to after a redirect either, and the answer is not read", async () => {
    const inner = await serve((_, response) => {
      response.end("secret");
    });
    // Stands for a public server: what it answers is sent on without a connection to it.
    const reader = (location: string): ReaderOptions => {
      const guard = guarded.fetch;
      const first: ReaderOptions["fetch"] = {
        load: () => guard.load(),
        get: (url, request) =>
          url.hostname === "feed.example"
            ? Promise.resolve(new Response(null, { status: 302, headers: { location } }))
            : guard.get(url, request),
      };
      return { ...guarded, fetch: first };
    };
    for (const location of [
      inner.url,
      inner.url.replace("127.0.0.1", "2130706433"),
      inner.url.replace("127.0.0.1", "localhost"),
    ]) {
      await expect(
        readSource("http://feed.example/", NONE, { ...reader(location), allowPrivate: false }),
      ).rejects.toMatchObject({ failure: "address" });
    }
    expect(inner.requests).toHaveLength(0);
    await inner.close();
  });
});

describe("a server of sources", () => {
  test("sees the version and the contact in the user agent", async () => {
    server = await serve((_, response) => {
      response.end("x");
    });
    await readSource(server.url, NONE, options());
    expect(server.requests[0]!.headers["user-agent"]).toMatch(
      /^anp\/\d+\.\d+\.\d+ \(\+https:\/\/example\.com\/contact\)$/,
    );
  });

  test("gets six requests at once, however many sources it has", async () => {
    const held: ServerResponse[] = [];
    let most = 0;
    server = await serve((request, response) => {
      // A request of another reader, which comes when all that may be sent has been.
      if (request.url === "/barrier") for (const waiting of [...held.splice(0), response]) waiting.end("x");
      else if (held.push(response) === 6) void readSource(`${server!.url}/barrier`, NONE, options());
      most = Math.max(most, held.length);
    });
    const reader = options();
    await Promise.all(Array.from({ length: 24 }, (_, n) => readSource(`${server!.url}/${n}`, NONE, reader)));
    expect([server.requests.length, most]).toEqual([28, 6]);
  });

  test("says with Retry-After, in seconds or as a date, when it wants to be asked again", async () => {
    let after = "120";
    server = await serve((_, response) => {
      response.writeHead(503, { "retry-after": after }).end();
    });
    const failed = () => readSource(server!.url, NONE, options()).catch((error: unknown) => error);
    expect(await failed()).toMatchObject({ failure: "status", retry_after_ms: 120_000 });
    after = "Fri, 20 Nov 2026 12:01:00 GMT";
    expect(await failed()).toMatchObject({ retry_after_ms: 60_000 });
    after = "soon";
    expect(await failed()).toMatchObject({ retry_after_ms: undefined });
  });
});

describe("a local source", () => {
  test("is read relative to the config's folder", async () => {
    const reading = await readSource("read-source.test.ts", NONE, options({ maxBytes: 1_000_000 }));
    expect(Buffer.from(reading!.bytes).toString()).toContain("relative to the config");
  });

  test("fails when it does not exist, is too large or is a folder", async () => {
    await expect(readSource("none.xml", NONE, options())).rejects.toMatchObject({ failure: "not_found" });
    await expect(readSource("read-source.test.ts", NONE, options({ maxBytes: 10 }))).rejects.toMatchObject({
      failure: "too_large",
    });
    await expect(readSource(".", NONE, options())).rejects.toMatchObject({ failure: "unreadable" });
  });
});
