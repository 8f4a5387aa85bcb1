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
          expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
        }
        expect((await api.ask(path, { headers: { "if-none-match": 'W/"other"' } })).status).toBe(200);
      }
      const { headers } = await api.ask("/api/v1/ai/me", { token: "alice-token" });
      expect([headers.get("etag"), headers.get("cache-control")]).toEqual([null, null]);
      await api.close();
    });
  },
  { storages: false },
);
