import { expect, it } from "vitest";
import { ENDPOINTS, type Endpoint } from "../../src/contract/endpoints.ts";
import { describeApi } from "./describe-api.ts";

const endpoints: readonly Endpoint[] = Object.values(ENDPOINTS);

describeApi(
  "what is the same for everybody",
  (open) => {
    it("has a tag, and is not sent again to who has it", async () => {
      const api = await open();
      const reads = endpoints.filter(({ max_age_s }) => max_age_s !== undefined);
      expect(reads).toHaveLength(4);
      for (const { path, max_age_s } of reads) {
        const first = await api.ask(path);
        const etag = first.headers.get("etag")!;
        expect([path, first.status, etag]).toEqual([path, 200, expect.stringMatching(/^W\/"[\w-]+"$/)]);
        expect(first.headers.get("cache-control")).toBe(`max-age=${max_age_s}`);
        for (const names of [etag, `"other", ${etag.slice(2)}`, "*"]) {
          const again = await api.ask(path, { headers: { "if-none-match": names } });
          expect([path, again.status, again.text, again.headers.get("etag")]).toEqual([path, 304, "", etag]);
          expect(again.headers.has("x-request-id")).toBe(false);
        }
        expect((await api.ask(path, { headers: { "if-none-match": 'W/"other"' } })).status).toBe(200);
      }
      await api.close();
    });

    it("is all that a cache may keep: the token is in a header that none knows", async () => {
      const api = await open();
      for (const { path, method } of endpoints.filter(({ auth }) => auth === "required")) {
        const json = method === "POST" ? { json: {} } : {};
        for (const asking of [{ token: "alice-token" }, { token: "nobody" }, { token: "alice-token", method: "PUT" }]) {
          const { status, headers } = await api.ask(path, { ...json, ...asking });
          const found = [headers.get("etag"), headers.get("cache-control")];
          expect([path, status, ...found]).toEqual([path, status, null, "no-store"]);
        }
      }
      const refused = await api.ask("/api/v1/news/hot?limit=0");
      expect([refused.status, refused.headers.get("cache-control")]).toEqual([422, null]);
      await api.close();
    });
  },
  { storages: false },
);
