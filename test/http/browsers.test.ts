import { afterEach, expect, it } from "vitest";
import { ENDPOINTS, type Endpoint } from "../../src/contract/endpoints.ts";
import { listen } from "../../src/daemon/listen.ts";
import { createApp } from "../../src/http/app.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { openFixtureService } from "../support/service.ts";
import { describeApi, type Api } from "./describe-api.ts";

const HTTP_ALONE = { storages: false } as const;

const APP = "https://app.example";
const endpoints: readonly Endpoint[] = Object.values(ENDPOINTS);

describeApi(
  "pages of other origins",
  (open) => {
    let api: Api;
    afterEach(() => api.close());
    const allowing = (...origins: string[]) => open({ refresh: false, flags: { "server.cors.origins": origins } });

    it("may ask beforehand whether they may call, with the headers that the API takes", async () => {
      api = await allowing(APP, "https://other.example:8443");
      const wanted = { "access-control-request-headers": "content-type,x-user-token,idempotency-key" };
      for (const { method, path } of endpoints) {
        const answer = await api.ask(path, {
          method: "OPTIONS",
          headers: { origin: APP, "access-control-request-method": method, ...wanted },
        });
        expect([path, answer.status, answer.text]).toEqual([path, 204, ""]);
        expect(answer.headers.get("access-control-allow-origin")).toBe(APP);
        expect(answer.headers.get("access-control-allow-methods")).toBe(method);
        expect(answer.headers.get("access-control-max-age")).toBe("600");
        expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
        const allowed = answer.headers.get("access-control-allow-headers")!.toLowerCase().split(",");
        expect(allowed).toEqual(expect.arrayContaining(["content-type", "x-user-token", "idempotency-key"]));
      }
    });

    it("may read answers and refusals alike, and the headers that describe them", async () => {
      api = await allowing(APP);
      for (const [path, token, status] of [
        ["/api/v1/ai/me", "alice-token", 200],
        ["/api/v1/ai/me", "nobody", 401],
        ["/api/v1/ai/me/", "alice-token", 404],
        ["/api/v1/nowhere", "alice-token", 404],
        ["/api/v1/%", "alice-token", 404],
      ] as const) {
        const { headers, ...answer } = await api.ask(path, { token, headers: { origin: APP } });
        expect([path, answer.status]).toEqual([path, status]);
        expect([headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([APP, "Origin"]);
        const readable = headers.get("access-control-expose-headers")!.split(",");
        expect(readable).toEqual(
          expect.arrayContaining(["X-Request-Id", "Idempotency-Replayed", "Retry-After", "RateLimit"]),
        );
      }
      const asked = { origin: APP, "access-control-request-method": "GET" };
      const { status } = await api.ask("/api/v1/nowhere", { method: "OPTIONS", headers: asked });
      expect(status).toBe(204);
    });

    it("never get from a shared cache what was kept for a caller without an Origin", async () => {
      const paths = [...endpoints.map(({ path }) => path), "/api/v1/nowhere"];
      api = await allowing(APP);
      for (const path of paths) {
        const { headers } = await api.ask(path, { token: "alice-token" });
        expect([path, headers.get("vary"), headers.get("access-control-allow-origin")]).toEqual([path, "Origin", null]);
      }
      const { headers } = await api.ask("/api/v1/news/hot", { headers: { "if-none-match": "*" } });
      expect(headers.get("vary")).toBe("Origin");
      await api.close();
      api = await allowing("*");
      for (const path of paths) {
        const { headers } = await api.ask(path, { token: "alice-token" });
        expect([path, headers.get("vary"), headers.get("access-control-allow-origin")]).toEqual([path, null, "*"]);
      }
    });

    it("get nothing when they are not among the configured ones, however near they look", async () => {
      api = await allowing(APP);
      for (const origin of ["https://app.example.evil", "http://app.example", "https://app.example:444", "null"]) {
        const asked = await api.ask("/api/v1/ai/me", {
          method: "OPTIONS",
          headers: { origin, "access-control-request-method": "GET" },
        });
        expect(asked.headers.get("access-control-allow-origin")).toBeNull();
        const called = await api.ask("/api/v1/ai/me", { token: "alice-token", headers: { origin } });
        expect([called.status, called.headers.get("access-control-allow-origin")]).toEqual([200, null]);
      }
      const same = await api.ask("/api/v1/ai/me", { token: "alice-token" });
      expect(same.headers.get("access-control-allow-origin")).toBeNull();
    });

    it("are all allowed by a star, and none without a configuration", async () => {
      api = await allowing("*");
      const { headers } = await api.ask("/api/v1/news/hot", { headers: { origin: "https://any.example" } });
      expect(headers.get("access-control-allow-origin")).toBe("*");
      await api.close();
      api = await allowing();
      const closed = await api.ask("/api/v1/news/hot", { headers: { origin: APP } });
      expect(closed.headers.get("access-control-allow-origin")).toBeNull();
      const asked = await api.ask("/api/v1/news/hot", {
        method: "OPTIONS",
        headers: { origin: APP, "access-control-request-method": "GET" },
      });
      expect(asked.status).toBe(405);
    });
  },
  HTTP_ALONE,
);

describeApi(
  "every answer",
  (open) => {
    let api: Api;
    afterEach(() => api.close());

    it("is sent with its type, runs nothing, is shown in no frame and sends no referrer", async () => {
      api = await open({ refresh: false });
      const asked: [path: string, token?: string][] = [
        ["/api/v1/ai/me", "alice-token"],
        ["/api/v1/ai/me"],
        ["/api/v1/news/hot"],
        ["/nowhere"],
        ["/%00"],
        ["/healthz"],
        ["/readyz"],
        ["/openapi.json"],
        ["/docs"],
        ["/docs/start.js"],
        ["/docs/swagger-ui.css"],
      ];
      for (const [path, token] of asked) {
        const { headers } = await api.ask(path, token === undefined ? {} : { token });
        expect([path, headers.get("x-content-type-options")]).toEqual([path, "nosniff"]);
        expect([path, headers.get("content-security-policy")]).toEqual([
          path,
          expect.stringContaining("default-src 'none'"),
        ]);
        expect([path, headers.get("content-security-policy")]).toEqual([
          path,
          expect.stringContaining("frame-ancestors 'none'"),
        ]);
        expect([path, headers.get("referrer-policy")]).toEqual([path, "no-referrer"]);
      }
    });
  },
  HTTP_ALONE,
);

it("a page may read why its request was refused before any route saw it", async () => {
  const flags = { "server.cors.origins": [APP, "https://other.example"] };
  const { service } = await openFixtureService({ refresh: false, flags });
  const { url, stop } = await listen(createApp(service, silentLogger), "127.0.0.1", 0);
  const long = "x".repeat(17_000);
  for (const [status, path, init] of [
    [431, `/api/v1/news/hot?source=${long}`, {}],
    [431, "/api/v1/ai/me", { headers: { "x-user-token": long } }],
    [405, "/api/v1/ai/me", { method: "brew" }],
  ] as const) {
    for (const [origin, allowed] of [
      [APP, APP],
      ["https://evil.example", null],
    ] as const) {
      const sent = { ...init, headers: { ...("headers" in init && init.headers), origin } };
      const { status: answered, headers } = await fetch(`${url}${path}`, sent);
      expect([answered, headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([
        status,
        allowed,
        "Origin",
      ]);
    }
  }
  await stop(0);
  await service.close();
});
