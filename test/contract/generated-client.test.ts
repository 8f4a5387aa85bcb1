import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import openapiTypescript, { astToString, type OpenAPI3 } from "openapi-typescript";
import { afterEach, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/contract/endpoints.ts";
import { listen } from "../../src/daemon/listen.ts";
import { createApp } from "../../src/http/app.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { temporaryFolder } from "../support/folder.ts";
import { openFixtureService } from "../support/service.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A client as its developer would write it: every call, and what the types say of the answers. */
const CLIENT = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const [baseUrl = ""] = process.argv.slice(2);
const token = { "X-User-Token": "alice-token" };
const api = createClient<paths>({ baseUrl, headers: token });
const statuses: Record<string, unknown> = {};

function must<T>(name: string, answer: { data?: { data: T }; error?: unknown; response: Response }): T {
  if (answer.data === undefined) throw new Error(name + " " + answer.response.status + " " + JSON.stringify(answer.error));
  statuses[name] = answer.response.status;
  return answer.data.data;
}

const me: components["schemas"]["QuotaProfile"] = must("getMe", await api.GET("/api/v1/ai/me"));
const before: number = me.balance_points;
const { questions } = must("getRecommendedQuestions", await api.GET("/api/v1/ai/recommended-questions", { params: { query: { lang: "en", limit: 2 } } }));
const question: string = questions[0]!.content;
const chat = must("sendChat", await api.POST("/api/v1/ai/chat/send", { params: { header: { "Idempotency-Key": "c1" } }, body: { question } }));
const kinds: ("help" | "notice" | "news" | "account")[] = chat.source_items.map((item) => item.kind);
must("recordEvent", await api.POST("/api/v1/ai/events", { body: { event_type: "answer_feedback", message_id: chat.message_id, feedback_type: "helpful" } }));
const hot = must("getHotTopics", await api.GET("/api/v1/ai/hot-topics", { params: { query: { days: 1 } } }));
const source: "live" | "fallback" = hot.refresh_meta.source;
const { news } = must("getNewsHot", await api.GET("/api/v1/news/hot"));
const title: string | undefined = news[0]?.title;
must("getNewsTopics", await api.GET("/api/v1/news/topics", { params: { query: { lang: "en" } } }));
must("refreshNews", await api.POST("/api/v1/news/refresh", { params: { query: { mode: "view" } } }));
must("getPoints", await api.GET("/api/v1/ai/points"));
const exchange = must("exchangePoints", await api.POST("/api/v1/ai/points/exchange", { body: { token_amount: 1.5 } }));
const { items } = must("getLedger", await api.GET("/api/v1/ai/points/ledger", { params: { query: { page_size: 1 } } }));
const type: "chat_cost" | "exchange" | "trade_reward" | "adjust" | undefined = items[0]?.type;
const { features } = must("getSubscription", await api.GET("/api/v1/ai/subscription"));
const memory: boolean | undefined = features["memory"];
must("postTradeReward", await api.POST("/api/v1/ai/points/trade-reward", { body: { trade_type: "spot", volume_usd: 100, ref_id: "t1" } }));

const refused = await api.POST("/api/v1/ai/points/exchange", { body: { token_amount: -1 } });
const fault: string | undefined = refused.error?.code === 422 ? refused.error.errors[0]?.path : undefined;

console.log(JSON.stringify({ statuses, earned: exchange.balance_after - before, kinds, source, title: typeof title, type, memory, fault }));
`;

/** What a client's developer must not be able to write. Each line is an error to the compiler. */
const MISTAKES = `
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const api = createClient<paths>({ baseUrl: "" });
// @ts-expect-error there is no such endpoint
await api.GET("/api/v1/ai/point");
// @ts-expect-error it takes no POST
await api.POST("/api/v1/ai/me");
// @ts-expect-error the amount is a number
await api.POST("/api/v1/ai/points/exchange", { body: { token_amount: "1" } });
// @ts-expect-error the question is required
await api.POST("/api/v1/ai/chat/send", { body: {} });
// @ts-expect-error there is no such mode
await api.POST("/api/v1/news/refresh", { params: { query: { mode: "fast" } } });
const { data } = await api.GET("/api/v1/ai/me");
// @ts-expect-error there is no such field
data?.data.email;
`;

it("makes a client that compiles strictly and makes every call", async () => {
  const folder = await temporaryFolder();
  undo.push(folder.remove);
  const { service } = await openFixtureService();
  undo.push(() => service.close());
  const { url, stop } = await listen(createApp(service, silentLogger), "127.0.0.1", 0);
  undo.push(() => stop(1000));
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenAPI3;
  // Not as api.d.ts: the compiler leaves out the checks of declarations, those of Node above all.
  await writeFile(join(folder.path, "api.ts"), astToString(await openapiTypescript(document, { silent: true })));
  await writeFile(join(folder.path, "client.ts"), CLIENT);
  await writeFile(join(folder.path, "mistakes.ts"), MISTAKES);
  await writeFile(join(folder.path, "package.json"), JSON.stringify({ type: "module" }));
  await symlink(join(root, "node_modules"), join(folder.path, "node_modules"));
  const options = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--target", "es2022"];
  const modules = ["--module", "nodenext", "--types", "node", "--skipLibCheck"];
  const compile = [
    join(root, "node_modules/typescript-compiler/bin/tsc"),
    ...options,
    ...modules,
    "client.ts",
    "mistakes.ts",
  ];
  await run(process.execPath, compile, { cwd: folder.path }).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout);
  });
  const { stdout } = await run(process.execPath, [join(folder.path, "client.js"), url]);
  expect(JSON.parse(stdout)).toEqual({
    statuses: Object.fromEntries(Object.keys(ENDPOINTS).map((id) => [id, 200])),
    earned: 15,
    kinds: expect.any(Array) as unknown[],
    source: "live",
    title: "string",
    type: "exchange",
    memory: false,
    fault: "token_amount",
  });
});
