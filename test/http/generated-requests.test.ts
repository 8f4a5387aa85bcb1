import fc from "fast-check";
import { expect, it } from "vitest";
import { validateResponse } from "../../src/contract/validation/validate-response.ts";
import { createApp } from "../../src/http/app.ts";
import { verifyLedger } from "../support/verify-ledger.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { createDocumentCheck } from "../contract/document-check.ts";
import { openFixtureService } from "../support/service.ts";
import { generatedRequests, type Generated } from "./generated-requests.ts";

/** `ANP_GENERATED=20000` for a long run, `ANP_SEED` to repeat one. */
const RUNS = Number(process.env["ANP_GENERATED"] ?? 400);
const SEED = Number(process.env["ANP_SEED"] ?? 20_261_120);

/** A reward beyond what is counted is a failure of the experimental endpoint, and its failures are 500s. */
function mayFail({ path, body = "{}" }: Generated): boolean {
  if (!path.endsWith("/trade-reward")) return false;
  const { volume_usd } = JSON.parse(body) as { volume_usd: number };
  return volume_usd > Number.MAX_SAFE_INTEGER;
}

/** Refusals of what JSON Schema cannot say, and the document says in words. */
const WITHIN_WORDS =
  /was used for another request before|levels deep|bytes as JSON|keeps exactly|__proto__ is not kept/;

it(
  `answers ${RUNS} generated requests within the contract, none with a 5xx but the experimental one's own, and keeps the ledgers right: by the schemas, and by the document alone`,
  async () => {
    const { service } = await openFixtureService({ flags: { "limits.in_flight": 0 } });
    const app = createApp(service, silentLogger);
    const document = await app.request("http://anp.test/openapi.json");
    const inDocument = createDocumentCheck((await document.json()) as object);
    let accepted = 0;
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(generatedRequests, async (asked) => {
        const { method, path, search, headers, body } = asked;
        const response = await app.request(
          new Request(`http://anp.test${path}${search}`, { method, headers, ...(body === undefined ? {} : { body }) }),
        );
        const text = await response.text();
        const { status } = response;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status >= 500) expect(mayFail(asked), `${status}: ${text}`).toBe(true);
        const parsed: unknown = text === "" ? undefined : JSON.parse(text);
        const answer = { method, path, sent: headers, status, headers: response.headers, body: parsed };
        expect(validateResponse(answer)).toEqual([]);
        expect(inDocument.deviations(asked, answer)).toEqual([]);
        const refused = status === 422 && !WITHIN_WORDS.test(text);
        if (refused || status === 415) expect(inDocument.accepts(asked), `${status}: ${text}`).toBe(false);
        if (inDocument.accepts(asked)) accepted++;
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: RUNS > 1000 },
    );
    // Requests that all end at the door would show nothing.
    expect([...statuses.keys()].sort()).toEqual(expect.arrayContaining([200, 401, 405, 415, 422]));
    expect(statuses.get(200)).toBeGreaterThan(RUNS / 5);
    expect(accepted).toBeGreaterThan(RUNS / 3);
    for (const user of ["demo", "alice", "bob", "carol"]) {
      expect((await verifyLedger(service.storage, user)).damage).toBeUndefined();
    }
    if (RUNS > 1000) console.log(accepted, Object.fromEntries([...statuses].sort(([a], [b]) => a - b)));
    await service.close();
  },
  180_000 + RUNS * 30,
);
