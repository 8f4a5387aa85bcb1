import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { ENDPOINTS } from "../../src/contract/endpoints.ts";
import { temporaryFolder } from "../support/folder.ts";
import { anp, REPEATABLE } from "./anp.ts";
import type { Ended } from "../support/program.ts";
import { contentOf } from "./content-of.ts";

const DEMO = ["--demo", ...REPEATABLE];

/** One command, what its output must hold, and the schema its JSON must match. */
interface Case {
  readonly args: readonly string[];
  readonly has?: string | RegExp;
  readonly json?: z.ZodType;
  readonly says?: string;
  /** Run in one folder only: it writes nothing, and its result is shown by others too. */
  readonly once?: true;
}

const verification = z.array(
  z.strictObject({
    user_id: z.string(),
    entries: z.int(),
    state: z.literal("ok"),
    balance: z.int(),
    head: z.string().nullable(),
  }),
);
const event = { event_type: "page_view", user_id: "u-1", created_at: "2026-11-19T00:00:00Z" };

/** An operator's commands in order: later ones see the results of earlier ones. */
const CASES: readonly Case[] = [
  {
    args: ["users", "list"],
    has: /^user_id\tfree_daily_quota\tlang\tcreated_at\terased_at\nalice\t5\tzh\t2026-11-20T00:00:00.000Z\t\n/,
  },
  {
    args: ["users", "create", "dave", "--quota", "3", "--lang", "en", "--json"],
    json: z.looseObject({ free_daily_quota: z.literal(3) }),
  },
  { args: ["users", "show", "dave", "--format", "jsonl"], has: '"remaining_free_quota":3', once: true },
  { args: ["quota", "alice", "--json"], json: ENDPOINTS.getMe.data, once: true },
  { args: ["ask", "提现手续费是多少？", "--user", "alice"], has: /USDT[^]*\n\n\[1\] \S+ https:\/\// },
  {
    args: ["ask", "What is the withdrawal fee?", "--user", "alice", "--token-symbol", "USDT", "--json"],
    json: ENDPOINTS.sendChat.data,
  },
  {
    args: ["exchange", "alice", "1.5", "--yes", "--idempotency-key", "one", "--json"],
    json: ENDPOINTS.exchangePoints.data,
  },
  {
    args: ["exchange", "alice", "1.5", "--yes", "--idempotency-key", "one"],
    has: "\n1.5\t15\t15\t10\n",
    says: "done before",
  },
  { args: ["exchange", "alice", "1.5", "--yes"], has: "\n1.5\t15\t30\t10\n" },
  { args: ["exchange", "alice", "1.5", "--yes"], has: "\n1.5\t15\t45\t10\n" },
  {
    args: ["points", "adjust", "alice", "-5", "--reason", "paid twice", "--actor", "ops", "--yes"],
    has: "alice\t6\t-5\t40\tpaid twice\tops\t",
  },
  {
    args: ["ledger", "alice", "--page-size", "2", "--json"],
    json: ENDPOINTS.getLedger.data,
    says: "Page 1 of 3, 6 entries.",
    once: true,
  },
  {
    args: ["ledger", "list", "alice", "--page", "9"],
    has: /^id\tcreated_at\ttype\tdelta\tbalance_after\tdescription\tref_id\treason\tactor\treverses\n$/,
    once: true,
  },
  { args: ["ledger", "verify", "alice"], has: "alice\t6\t40\tok\t\t\n", once: true },
  { args: ["ledger", "verify", "--all", "--json"], json: verification },
  {
    args: ["ledger", "export", "alice", "--entries"],
    has: /^({"id":\d,"user_id":"alice",.*"hash":"[0-9a-f]{64}"}\n){6}$/,
    once: true,
  },
  { args: ["ledger", "export", "--json"], json: z.array(z.looseObject({ user_id: z.string() })).length(8) },
  {
    args: ["ledger", "export", "alice", "--format", "csv"],
    has: /^user_id,id,created_at,type,delta,balance,.*\n(alice,.*\n){6}$/,
    once: true,
  },
  { args: ["subscription", "show", "carol", "--json"], json: ENDPOINTS.getSubscription.data, once: true },
  {
    args: ["subscription", "set", "alice", "--plan", "pro", "--expires", "30d", "--json"],
    json: ENDPOINTS.getSubscription.data,
  },
  {
    args: ["subscription", "show", "alice"],
    has: "active\tpro\t2026-11-20T00:00:00.000Z\t2026-12-20T00:00:00.000Z\t",
    once: true,
  },
  { args: ["subscription", "set", "alice", "--plan", "free"], has: "\nfree\tfree\t\t\t" },
  {
    args: ["tokens", "list", "alice", "--json"],
    json: z.array(z.looseObject({ state: z.literal("active") })).length(1),
    once: true,
  },
  { args: ["quota", "carol-token"], has: "\ncarol\t", once: true },
  { args: ["tokens", "revoke", "alice-token"], has: /\trevoked\n$/ },
  { args: ["news", "hot", "--limit", "3", "--json"], json: ENDPOINTS.getNewsHot.data, says: " items." },
  { args: ["news", "topics", "--lang", "en", "--json"], json: ENDPOINTS.getNewsTopics.data, once: true },
  { args: ["news", "hot", "--symbol", "eth", "--query", "ETF nothing-has-this"], says: "no news that matches" },
  { args: ["news", "hot", "--hours", "1", "--symbol", "NOPE"], says: "no news that matches these options.\n" },
  { args: ["news", "topics", "--category", "nothing-has-this"], says: "no topics that match these options.\n" },
  { args: ["news", "topics", "--source", "no such outlet", "--json"], has: '"total": 0' },
  { args: ["news", "refresh", "--mode", "full", "--json"], json: ENDPOINTS.refreshNews.data },
  { args: ["news", "status"], has: "lantern\tnews\tok\t", once: true },
  { args: ["hot-topics", "--json"], json: ENDPOINTS.getHotTopics.data, once: true },
  { args: ["hot-topics", "--limit", "1"], has: /^kind\tweight\ttext\ttrend\ntopic\t/, once: true },
  {
    args: ["questions", "--lang", "en", "--limit", "2", "--json"],
    json: ENDPOINTS.getRecommendedQuestions.data,
    once: true,
  },
  { args: ["events", "replay", "events.ndjson", "--dry-run"], has: "\n1\t1\t0\t0\n", once: true },
  {
    args: ["events", "replay", "events.ndjson", "--json"],
    json: z.looseObject({ read: z.literal(1), stored: z.literal(1) }),
  },
  { args: ["events", "replay", "events.ndjson"], has: "\n1\t0\t1\t0\n" },
  {
    args: ["events", "stats", "--from", "2026-11-19", "--json"],
    json: z.looseObject({ events: z.int(), by_day: z.array(z.unknown()) }),
    once: true,
  },
  { args: ["events", "export", "--to", "2026-11-17"], has: /^({"event_id":.*}\n){19}$/ },
  { args: ["openapi"], json: z.looseObject({ openapi: z.literal("3.1.0") }), once: true },
];

const first = new Map<Case, Ended>();
const second = new Map<Case, Ended>();
let folders: Awaited<ReturnType<typeof temporaryFolder>>[];

beforeAll(async () => {
  folders = [await temporaryFolder(), await temporaryFolder()];
  const [one, other] = folders.map(({ path }) => path);
  const repeated = CASES.filter(({ once }) => once !== true);
  await runAll(CASES, one!, first);
  await runAll(repeated, other!, second);
});

afterAll(async () => {
  await Promise.all(folders.map((folder) => folder.remove()));
});

async function runAll(cases: readonly Case[], cwd: string, results: Map<Case, Ended>): Promise<void> {
  await writeFile(join(cwd, "events.ndjson"), `${JSON.stringify(event)}\n`);
  for (const item of cases) results.set(item, await anp([...item.args, ...DEMO], { cwd }));
}

it.for(CASES.map((item) => ({ item, name: item.args.join(" ") })))("anp $name", ({ item }) => {
  const { has, json, says } = item;
  const { code, stdout, stderr } = first.get(item)!;
  expect(code, stderr).toBe(0);
  if (says !== undefined) expect(stderr).toContain(says);
  else if (json !== undefined) expect(stderr).toBe("");
  if (json !== undefined) {
    json.parse(JSON.parse(stdout));
    expect(stdout.endsWith("\n")).toBe(true);
  }
  if (typeof has === "string") expect(stdout).toContain(has);
  else if (has !== undefined) expect(stdout).toMatch(has);
  // With a fixed clock and a seed, another folder gives the same output, byte for byte.
  if (second.has(item)) expect(second.get(item)).toEqual(first.get(item));
});

it("leaves the same files behind, byte for byte, with and without commands that only read", async () => {
  const [one, other] = await Promise.all(folders.map(({ path }) => contentOf(path)));
  expect(other).toEqual(one);
});
