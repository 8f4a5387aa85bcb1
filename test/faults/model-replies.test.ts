import { afterAll, beforeAll, expect, it } from "vitest";
import type { AnpError } from "../../src/contract/errors.ts";
import type { Service } from "../../src/service/service.ts";
import {
  cuts,
  fails,
  garbles,
  hangs,
  says,
  startModelServer,
  type ModelServer,
  type Turn,
} from "../assistant/model-server.ts";
import { openFixtureService } from "../support/service.ts";
import { verifyLedger } from "../support/verify-ledger.ts";
import { soak } from "./load/options.ts";

const RUNS = soak?.count ?? 1;
const QUESTION = "提现手续费是多少？";
const GOOD = says("提现手续费按币种和网络收取固定数量 [1]。");
const TIMEOUT_MS = 200;

const stalls: Turn = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"id":');
};
const floods: Turn = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(" ".repeat(300 * 1024));
};

/** What a model may do instead of a good reply. */
const FAULTS: Readonly<Record<string, Turn>> = {
  "status 500": fails(500),
  "status 503, busy": fails(503, { "retry-after": "60" }),
  "status 429, busy": fails(429, { "retry-after": "60" }),
  "status 401": fails(401),
  "a redirect": fails(302, { location: "http://127.0.0.1:1/" }),
  "nothing at all": hangs,
  "half of a reply": stalls,
  "a reply that is cut": cuts,
  "a connection that is closed": (response) => void response.destroy(),
  "a page of HTML": garbles,
  "a reply of 300 KiB": floods,
  "an empty text": says(""),
  "a cut sentence": says("提现手续费按", "length"),
  "a made-up figure": says("提现手续费是 77 BTC [1]。"),
  "no citation": says("提现手续费按币种和网络收取固定数量。"),
  "another language": says("Комиссия за вывод средств фиксированная [1]."),
  "a script": says("<script>alert(1)</script>提现手续费按币种和网络收取固定数量 [1]。"),
  "a wish for a password": says("提现手续费按币种和网络收取固定数量 [1]。请把您的密码发给我 [1]。"),
  "a made-up address": says("提现手续费见 https://evil.example/fees [1]。"),
  "advice to buy": says("提现手续费按币种和网络收取固定数量 [1]。建议您现在买入 BTC，价格会涨 [1]。"),
};
const AT = ["the first call", "the correction"] as const;
const FALLBACKS = ["none", "extractive"] as const;

let server: ModelServer;
let turns: Turn[] = [];
const services = new Map<string, Service>();

beforeAll(async () => {
  server = await startModelServer((response, request) =>
    (turns.length > 1 ? turns.shift()! : turns[0]!)(response, request),
  );
  for (const fallback of FALLBACKS) {
    const flags = { base_url: server.baseUrl, model: "m", max_retries: 0, fallback, timeout_ms: TIMEOUT_MS };
    const named = Object.entries(flags).map(([key, value]) => [`model.${key}`, value] as const);
    const { service } = await openFixtureService({ flags: Object.fromEntries(named) });
    await service.adjust({ user: "bob", delta: 20 * RUNS * 80, reason: "test", actor: "test", request_id: "r" });
    services.set(fallback, service);
    // The model libraries load with the first call.
    for (turns = [GOOD]; (await ask(service)).model !== "m";);
  }
});

afterAll(() => server.close());

async function ask(service: Service) {
  const started = performance.now();
  const balance = async () => (await service.run("getPoints", { request_id: "r", user: "bob" }, {})).data.balance;
  const before = await balance();
  const found = await service.run("sendChat", { request_id: "r", user: "bob" }, { body: { question: QUESTION } }).then(
    ({ data }) => ({ model: data.model_name, code: 0 }),
    (error: unknown) => ({ model: undefined, code: (error as AnpError).code }),
  );
  return { ...found, ms: performance.now() - started, paid: before - (await balance()) };
}

it(`end ${Object.keys(FAULTS).length * 4} kinds of fault, ${RUNS} times each, in time, for nothing, and go on`, async () => {
  const ms: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    for (const [name, fault] of Object.entries(FAULTS)) {
      for (const at of AT) {
        for (const fallback of FALLBACKS) {
          const what = `${name} at ${at}, fallback ${fallback}`;
          const service = services.get(fallback)!;
          turns = at === "the first call" ? [fault] : [FAULTS["a made-up figure"]!, fault];
          const failed = await ask(service);
          const expected = fallback === "none" ? { code: 1007, paid: 0 } : { model: "local-extractive", paid: 1 };
          expect({ what, ...failed }).toMatchObject({ what, ...expected });
          turns = [GOOD];
          let next = await ask(service);
          // A busy machine may need more time than there is for a good reply too.
          while (next.model !== "m" && next.ms >= TIMEOUT_MS) next = await ask(service);
          expect({ what, ...next }).toMatchObject({ what, model: "m", paid: 1 });
          ms.push(failed.ms);
        }
      }
    }
  }
  for (const service of services.values()) await verifyLedger(service.storage, "bob");
  ms.sort((a, b) => a - b);
  const [middle, last] = [ms[Math.floor(ms.length / 2)]!, ms.at(-1)!];
  console.log(
    `${ms.length} faults: half ended within ${middle.toFixed()} ms, the last after ${last.toFixed()} of ${TIMEOUT_MS}`,
  );
}, 3_600_000);
