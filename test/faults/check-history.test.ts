import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Entry } from "../../src/ledger/entry.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { checkHistory } from "./load/check-history.ts";
import { drive } from "./load/drive.ts";
import { operationName, type Answer, type Call } from "./load/history.ts";
import { MIXED } from "./load/plan.ts";
import { openPool } from "./load/pool.ts";
import { startServiceProcess } from "./load/service-process.ts";
import { createWorld, entriesOf, QUESTION, SETTINGS } from "./load/world.ts";

const USER = "Ümit/1";
const QUOTA = 3;
const CLIENTS = 8;
const REFUSALS = [1005, 1009, 422];

let entries: Entry[];
let calls: Call[];
let close: () => Promise<void>;

beforeAll(async () => {
  const folder = await temporaryFolder();
  const url = `fs:${folder.path}`;
  const storage = await openStorage(url);
  await createWorld(storage, [USER], QUOTA);
  const pool = await openPool([1, 2].map(() => () => startServiceProcess(url, SETTINGS)));
  close = async () => {
    await pool.close();
    await folder.remove();
  };
  calls = [];
  const load = { seed: 1, run: "a", clients: CLIENTS, users: [USER], mix: MIXED, question: QUESTION };
  // Which client comes how far is chance, and with it which refusals there are.
  const enough = (made: readonly Call[]): boolean =>
    made.length >= 400 &&
    (REFUSALS.every((code) => made.some(({ answer }) => isRefusal(answer, code))) || made.length > 4000);
  await drive(pool, { ...load, enough }, calls);
  entries = await entriesOf(storage, USER);
});
afterAll(() => close());

function isRefusal(answer: Answer | undefined, code: number): boolean {
  return answer?.status === "refused" && answer.code === code;
}

const check = (changed: { entries?: Entry[]; calls?: Call[] }): string[] =>
  checkHistory(changed.entries ?? entries, changed.calls ?? calls, QUOTA);

/** The calls with one of them changed. */
const withCall = (old: Call, changed: Partial<Call>): Call[] =>
  calls.map((call) => (call === old ? { ...call, ...changed } : call));

/** The first call of a kind that was done and is no replay. */
function done(kind: Call["asked"]["request"]["kind"], more: (call: Call) => boolean = () => true): Call {
  return calls.find(
    (call) => call.asked.request.kind === kind && call.answer?.status === "done" && !call.answer.replayed && more(call),
  )!;
}

const entryOf = ({ asked }: Call): Entry =>
  entries.find(({ operation, ref_id }) => [operation.id, `call:${ref_id}`].includes(operationName(asked)!))!;

/** The call with a field of its answer changed. */
function withData(old: Call, change: (data: Record<string, unknown>) => object): Call[] {
  const answer = old.answer as Extract<Answer, { status: "done" }>;
  return withCall(old, { answer: { ...answer, data: { ...answer.data, ...change(answer.data) } } });
}

describe("the check of histories", () => {
  it("finds nothing wrong with what several processes really did, refusals and repeats among it", () => {
    expect(check({})).toEqual([]);
    const answers = calls.map(({ answer }) => answer);
    for (const code of REFUSALS) {
      expect(
        answers.some((answer) => isRefusal(answer, code)),
        String(code),
      ).toBe(true);
    }
    expect(answers.some((answer) => answer?.status === "done" && answer.replayed)).toBe(true);
    expect(entries.some(({ details }) => details.type === "chat_cost" && details.free)).toBe(true);
  });

  it("takes an operation without an answer with one entry or none", () => {
    const lost = done("exchange", ({ asked }) => asked.key === undefined);
    expect(check({ calls: withCall(lost, { answer: undefined, to: Infinity }) })).toEqual([]);
    const never = { ...lost, asked: { ...lost.asked, request_id: "never" }, answer: undefined, to: Infinity };
    expect(check({ calls: [...calls, never] })).toEqual([]);
  });

  it("finds an answered operation without an entry", () => {
    expect(check({ entries: entries.slice(0, -1) }).join()).toContain("was answered but has no entry");
  });

  it("finds an operation that was done twice", () => {
    const last = entries.at(-1)!;
    const earned = entryOf(done("exchange", ({ asked }) => asked.key !== undefined));
    const { balance, total_earned } = last.account;
    const again: Entry = {
      ...earned,
      id: last.id + 1,
      account: { ...last.account, balance: balance + earned.delta, total_earned: total_earned + earned.delta },
    };
    expect(check({ entries: [...entries, again] })).toEqual([expect.stringContaining(`doubles entry ${earned.id}`)]);
  });

  it("finds an entry that nobody asked for, that another request asked for, or that was made at another time", () => {
    const { asked } = done("exchange");
    const others = calls.filter((call) => operationName(call.asked) !== operationName(asked));
    expect(check({ calls: others }).join()).toContain("nobody asked for it");
    const changed = calls.map((call) =>
      operationName(call.asked) === operationName(asked)
        ? { ...call, asked: { ...call.asked, request: { kind: "exchange" as const, token_amount: 0.99 } } }
        : call,
    );
    expect(check({ calls: changed }).join()).toContain("nobody asked for it");
    const late = entries.map((entry) => ({ ...entry, created_at: "2031-01-01T00:00:00.000Z" }));
    expect(check({ entries: late }).join()).toContain("says that it was made at 2031");
  });

  it("finds figures that do not follow by the rules", () => {
    const unpaid = entries.map((entry) =>
      entry.details.type === "chat_cost" && entry.delta < 0 ? { ...entry, delta: 0 } : entry,
    );
    expect(check({ entries: unpaid }).join()).toContain("instead of");
    const paid = done("chat", (call) => entryOf(call).delta < 0);
    const free = entries.map((entry) =>
      entry === entryOf(paid) && entry.details.type === "chat_cost"
        ? { ...entry, delta: 0, details: { ...entry.details, free: true } }
        : entry,
    );
    expect(check({ entries: free }).join()).toContain("instead of");
  });

  it("finds an answer that is not what its entry says", () => {
    const kinds = { exchange: "points_earned", trade_reward: "points_earned", adjust: "balance", chat: "message_id" };
    for (const [kind, field] of Object.entries(kinds) as ["exchange", string][]) {
      const changed = withData(done(kind), (data) => ({ [field]: Number(data[field]) + 1 }));
      expect(check({ calls: changed })).toEqual([expect.stringContaining("its answer is not what entry")]);
    }
  });

  it("finds two answers that both say they are the first", () => {
    const repeat = calls.find(
      ({ asked, answer }) =>
        answer?.status === "done" &&
        answer.replayed &&
        calls.some(
          (call) =>
            operationName(call.asked) === operationName(asked) &&
            call.answer?.status === "done" &&
            !call.answer.replayed,
        ),
    )!;
    const answer = { ...repeat.answer, replayed: false } as Answer;
    expect(check({ calls: withCall(repeat, { answer }) }).join()).toContain("say that they are the first");
  });

  it("finds entries and readings that are out of the order in which things were asked and answered", () => {
    const first = done("exchange", ({ asked }) => asked.key === undefined);
    const end = Math.max(...calls.map(({ to }) => to));
    const clock = [first.clock[0], Date.now()] as const;
    const late = withCall(first, { from: end + 1, to: end + 2, clock });
    expect(check({ calls: late }).join()).toContain("was asked after");
    const stale = withCall(done("ledger"), { from: end + 1, to: end + 2 });
    expect(check({ calls: stale }).join()).toContain("was asked after");
    const foreseen = withData(done("ledger"), () => ({ total: entries.length + 1 }));
    expect(check({ calls: foreseen }).join()).toContain("the ledger was shown as");
  });

  it("finds a refusal that no state justifies", () => {
    // The calls of the other clients may be under way, on a busy machine for long: the entries that they can add must leave
    // points too, and of the moments with the most points there must be one that nothing long hides.
    const leastAfter = (index: number): number =>
      Math.min(...entries.slice(index, index + CLIENTS).map(({ account }) => account.balance));
    const rich = entries.map((_, index) => index).filter((index) => leastAfter(index) > 0);
    const moments = rich.toSorted((one, other) => leastAfter(other) - leastAfter(one)).slice(0, 50);
    let at: Call;
    const refusal = (request: Call["asked"]["request"], code: number, key?: string): Call => ({
      ...at,
      from: at.to,
      asked: { user: USER, request_id: "refused", request, ...(key === undefined ? {} : { key }) },
      answer: { status: "refused", code },
    });
    const take = { kind: "adjust", delta: -1, reason: "r" } as const;
    const isFound = moments.some((index) => {
      at = calls.find((call) => call.answer?.status === "done" && entryOf(call) === entries[index])!;
      return check({ calls: [...calls, refusal(take, 1005)] })
        .join()
        .includes("1005 fits no state");
    });
    expect(isFound).toBe(true);
    const chat = { kind: "chat", question: QUESTION } as const;
    const alone = { ...refusal(chat, 1005), server: "another" };
    expect(check({ calls: [...calls, alone] }).join()).toContain("1005 fits no state");
    expect(check({ calls: [...calls, refusal(chat, 1007)] })).toEqual([]);
    const exchange = { kind: "exchange", token_amount: 0.1 } as const;
    expect(check({ calls: [...calls, refusal(exchange, 1009)] }).join()).toContain("1009 fits no state");
    expect(check({ calls: [...calls, refusal(exchange, 1007)] }).join()).toContain("1007 fits no state");
    expect(check({ calls: [...calls, refusal(exchange, 422, "fresh")] }).join()).toContain("refused for an earlier");
    const repeated = done("chat", ({ asked }) => asked.key !== undefined);
    const late = { from: repeated.to + 1, to: repeated.to + 2, answer: { status: "refused", code: 1005 } } as const;
    expect(check({ calls: [...calls, { ...repeated, ...late }] }).join()).toContain("although entry");
  });

  it("finds an account that was never as it was shown", () => {
    const shown = withData(done("points"), ({ balance }) => ({ balance: Number(balance) + 1 }));
    expect(check({ calls: shown }).join()).toContain("the account was never as it was shown");
  });
});
