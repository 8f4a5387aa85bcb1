import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS, type Endpoint } from "../../src/contract/endpoints.ts";
import { createApp } from "../../src/http/app.ts";
import { listen, type Listener } from "../../src/daemon/listen.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { version } from "../../src/runtime/package-file.ts";
import { noChromium, startChromium } from "../support/chromium.ts";
import { openFixtureService, type FixtureService } from "../support/service.ts";

const endpoints: readonly Endpoint[] = Object.values(ENDPOINTS);

describe("the documentation for browsers", () => {
  let opened: FixtureService;
  let daemon: Listener;
  beforeAll(async () => {
    opened = await openFixtureService({ refresh: false });
    daemon = await listen(createApp(opened.service, silentLogger), "127.0.0.1", 0);
  });
  afterAll(async () => {
    await daemon.stop(1000);
    await opened.service.close();
  });

  it("names no address but the daemon's own, and runs no script of the page itself", async () => {
    const response = await fetch(`${daemon.url}/docs`);
    const html = await response.text();
    expect([...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name)).toEqual([
      "docs/favicon-32x32.png",
      "docs/swagger-ui.css",
      "docs/swagger-ui-bundle.js",
      "docs/start.js",
    ]);
    expect(html).not.toMatch(/<script>|<style|\son\w+=/);
    const policy = response.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect((await fetch(`${daemon.url}/docs/package.json`)).status).toBe(404);
    expect((await fetch(`${daemon.url}/docs/..%2fpackage.json`)).status).toBe(404);
  });

  it("is sent once: a browser that has it gets 304", async () => {
    for (const path of ["docs", "docs/start.js", "docs/swagger-ui.css", "docs/swagger-ui-bundle.js"]) {
      const first = await fetch(`${daemon.url}/${path}`);
      expect((await first.arrayBuffer()).byteLength).toBeGreaterThan(100);
      const etag = first.headers.get("etag")!;
      expect(etag).toMatch(/^"[\w-]+"$/);
      for (const [wanted, status] of [
        [etag, 304],
        [`"other", W/${etag}`, 304],
        ['"other"', 200],
      ] as const) {
        const again = await fetch(`${daemon.url}/${path}`, { headers: { "if-none-match": wanted } });
        expect([path, wanted, again.status]).toEqual([path, wanted, status]);
        expect(again.headers.get("etag")).toBe(etag);
        if (status === 304) expect(await again.text()).toBe("");
      }
    }
  });

  it("is not there where the configuration turns it off", async () => {
    const { service } = await openFixtureService({ refresh: false, flags: { "server.docs": false } });
    const app = createApp(service, silentLogger);
    expect((await app.request("http://anp.test/docs")).status).toBe(404);
    expect((await app.request("http://anp.test/openapi.json")).status).toBe(200);
    await service.close();
  });

  it("is named by the page at /, which says what this is and its state, whatever host is asked for", async () => {
    const response = await fetch(`${daemon.url}/`);
    expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const html = await response.text();
    expect(html).toContain(`<h1>anp ${version()}</h1>`);
    expect(html).toContain("State: <strong>ready</strong>");
    expect(html).toContain(`<pre>curl ${daemon.url}/api/v1/news/hot</pre>`);
    expect([...html.matchAll(/href="([^"]+)"/g)].map(([, path]) => path)).toEqual(["docs", "openapi.json", "readyz"]);
    expect(html).not.toContain("<script");
    expect((await fetch(`${daemon.url}/`, { method: "POST" })).status).toBe(405);

    const { service } = await openFixtureService({ refresh: false, flags: { "server.docs": false } });
    const metrics = { contentType: "text/plain", text: () => Promise.resolve("") };
    const app = createApp(service, silentLogger, { metrics, state: () => "draining" });
    const draining = await (await app.request("http://o'neill.test/")).text();
    expect(draining).toContain("State: <strong>not ready: draining</strong>");
    expect(draining).toContain("<pre>curl http://o&apos;neill.test/api");
    expect(draining).toMatch(/href="openapi.json"[^]*href="readyz"[^]*href="metrics"/);
    expect(draining).not.toContain('href="docs"');
    await service.close();
  });

  describe.skipIf(noChromium !== undefined)("in Chromium without a network", () => {
    let browser: Browser;
    let page: Page; // At /docs: to load Swagger UI and to draw it is most of these tests' time.
    const complaints: string[] = [];
    beforeAll(async () => {
      browser = await startChromium();
      page = await browser.newPage();
      page.setDefaultTimeout(60_000);
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("requestfailed", (request) => complaints.push(`${request.url()} failed`));
      page.on("response", (response) => {
        if (response.status() >= 400) complaints.push(`${response.url()} is ${response.status()}`);
      });
      page.on("request", (request) => {
        const { protocol, origin } = new URL(request.url());
        if (origin !== daemon.url && protocol !== "data:") complaints.push(`${request.url()} is elsewhere`);
      });
      await page.goto(`${daemon.url}/docs`);
      await page
        .locator(".opblock-summary-path")
        .nth(endpoints.length - 1)
        .waitFor();
    });
    afterAll(() => browser.close());

    it("lists all operations and calls one, with no failed request and no complaint", async () => {
      const listed = page.locator(".opblock-summary-path");
      const paths = (await listed.allTextContents()).map((text) => text.replaceAll("\u200b", ""));
      expect(paths.sort()).toEqual(endpoints.map(({ path }) => path).sort());

      const operation = page.locator("#operations-News-getNewsHot");
      await operation.locator(".opblock-summary-control").click();
      await operation.getByRole("button", { name: "Try it out" }).click();
      await operation.getByRole("button", { name: "Execute" }).click();
      await operation.locator(".live-responses-table .response-col_status", { hasText: "200" }).waitFor();
      expect(complaints).toEqual([]);
    });

    it("shows an open lock until a token is given, and none where no token is taken", async () => {
      const count = (auth: Endpoint["auth"]): number => endpoints.filter((endpoint) => endpoint.auth === auth).length;
      const open = page.locator(".opblock .authorization__btn .unlocked");
      expect(await open.count()).toBe(count("required") + count("optional"));
      expect(await page.locator(".opblock .authorization__btn .locked").count()).toBe(0);
      await page.locator(".btn.authorize").click();
      await page.locator(".auth-container input").fill("alice-token");
      await page.locator(".auth-btn-wrapper .authorize").click();
      await page.locator(".opblock .authorization__btn .locked").first().waitFor();
      expect(await open.count()).toBe(0);
    });

    it("is found from the page at /, which needs no script", async () => {
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(daemon.url);
      expect(await page.locator("h1").textContent()).toBe(`anp ${version()}`);
      expect(await page.locator("strong").textContent()).toBe("ready");
      expect(await page.locator("pre").textContent()).toBe(`curl ${daemon.url}/api/v1/news/hot`);
      await page.getByRole("link", { name: "/docs" }).click();
      expect(new URL(page.url()).pathname).toBe("/docs");
      await context.close();
    });
  });
});
