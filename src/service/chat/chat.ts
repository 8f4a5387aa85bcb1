import { refuseErased } from "../../accounts/users.ts";
import type { QuestionKind } from "../../assistant/assistant.ts";
import { AnpError } from "../../contract/errors.ts";
import type { ModelCall } from "../../assistant/model/model-call.ts";
import type { TokenBudgets } from "../../assistant/model/token-budgets.ts";
import type { Ids } from "../../runtime/ids.ts";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import { createWindowCounter } from "../../runtime/cache/window-counter.ts";
import { DAY_MS } from "../../runtime/clock.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import { type Call, ledgerOperationOf, userOf, type OperationHandler } from "../operation.ts";
import type { Knowledge } from "../knowledge.ts";
import type { Funds, UserStates } from "../user-state.ts";
import { answerQuestion, type AnswerDeps } from "./answer-question.ts";
import { deliver, redeliver } from "./delivery.ts";
import { readQuestion, ADVANCED_RESEARCH, type Question } from "./question.ts";
import { createAnswerRepair, type RepairDeps } from "./answer-repair.ts";
import type { LedgerOperation } from "../../ledger/ledger-idempotency.ts";

/** Questions computed per window for a user who cannot pay: whether an answer is free is known only afterwards. */
const MAX_UNPAID = 20;
const UNPAID_WINDOW_MS = 60_000;

type OwnDeps = { ids: Ids; knowledge: Knowledge; userStates: UserStates; budgets: TokenBudgets | undefined };
type ChatDeps = AnswerDeps & RepairDeps & Parameters<typeof readQuestion>[0] & OwnDeps; // The budgets are absent without a model.

/** Handles a question: read, admit, answer, store, charge once, then deliver. */
export function createChat(deps: ChatDeps): OperationHandler<"sendChat"> {
  const { clock, ids, ledger, messages } = deps;
  const { account, small_talk, advanced_research, default: other } = deps.config.costs;
  const prices: Prices = { account, small_talk, advanced_research, other };
  const begin = createPendingAnswers();
  const mutex = createKeyedMutex();
  const repair = createAnswerRepair(deps);
  const prepare = createPreparing(deps, repair);

  async function answerOnce(call: Call, user: string, body: Question["body"], operation: LedgerOperation) {
    const answer = begin(user);
    try {
      const started = clock.now();
      const question = await readQuestion(deps, user, body);
      const ready = await prepare(call, question, { operation, prices, answer });
      if (ready.before !== undefined) return await redeliver(messages, ready.before);
      const { prepared, state, use } = ready;
      const { kind, routing } = prepared;
      const reply = await answerQuestion(deps, question, { prepared, state, use });
      const { text, sources: source_items, model_name } = reply;
      const latency_ms = Math.max(0, clock.now() - started);
      const route = kind === ADVANCED_RESEARCH ? kind : reply.routing.route;
      const { sub_intent, lang } = reply.routing;
      const about = { route, sub_intent, lang, outcome: reply.outcome, source_items, model_name, latency_ms };
      const draft = { user_id: user, question: body.question, answer: text, ...about };
      const quoting = body.question.toLowerCase(); // A headline that it quotes says nothing new.
      const isEcho = source_items.every(
        ({ kind, snippet }) => kind === "news" && quoting.includes(snippet.toLowerCase()),
      );
      const cost = reply.outcome === "answered" && (source_items.length === 0 || !isEcho) ? prices[kind] : 0;
      // The answer is stored before the charge becomes visible: no charge lacks its answer.
      const { message, entry, replayed } = await ledger.withLock(user, (locked) =>
        messages.create(draft, question.session, async (message, first) => {
          const answered = { message_id: message.message_id, session_id: message.session_id, route, sub_intent };
          const command = { type: "chat_cost", cost, quota: state.quota, ...answered } as const;
          const posting = { operation, command, ref_id: call.request_id, lang: routing.lang };
          const posted = await locked.post(posting, first).finally(answer.release);
          return posted && { message, ...posted };
        }),
      );
      return await (replayed ? redeliver(messages, entry) : deliver(deps, message, entry, () => repair.again(user)));
    } finally {
      answer.end();
    }
  }

  return async (call, { body }) => {
    const user = userOf(call);
    const operation = ledgerOperationOf(call, ids, { type: "chat", ...body });
    // A retry of a question in flight waits for its answer instead of computing another.
    return mutex(`${user}\n${operation.id}`, () => answerOnce(call, user, body, operation));
  };
}

/** Admits and prepares a question, or finds the entry of an earlier attempt. A question that could be paid for but for
 * answers in flight waits until one of them ends, which may have cost nothing. */
function createPreparing(deps: ChatDeps, repair: ReturnType<typeof createAnswerRepair>) {
  const { assistant, config, knowledge } = deps;
  const wait_ms = config.limits.wait_ms || Infinity;
  const unpaid = createWindowCounter(UNPAID_WINDOW_MS);
  function countUnpaid(user: string): void {
    const { times, left_ms } = unpaid(user);
    const headers = { "retry-after": String(Math.ceil(left_ms / 1000)) };
    if (times > MAX_UNPAID) throw new AnpError(429, "Too many questions without points or a free use.", { headers });
  }

  return async (call: Call, { user, asked: given }: Question, asking: Asking) => {
    const { prices, answer } = asking;
    for (;;) {
      const admitted = await admit(deps, user, asking);
      repair.check(user, admitted.ledger);
      if ("before" in admitted) return { before: admitted.before };
      const { state, refused } = admitted;
      await knowledge.ready();
      const use = { signal: call.signal, meter: deps.budgets?.meterOf(user), calls: [] as ModelCall[] };
      const asked = { lang: state.profile.lang, ...given, refused, zone: config.quota.timezone };
      const computes = (): void => (canPay(state.funds, prices.other) ? undefined : countUnpaid(user));
      const prepared = await assistant.prepare(asked, { caller: user, wait_ms, computes, ...use });
      call.explain?.({ ...(await assistant.explain(asked, prepared)), calls: use.calls });
      const cost = prices[prepared.kind];
      if (!refused.includes(prepared.kind) && answer.reserve(state.funds, cost)) return { state, use, prepared };
      if (!canPay(state.funds, cost)) throw new AnpError(1005);
      await answer.anotherEnds(wait_ms);
    }
  };
}

// Admission and charge hold the ledger's lock, so that no answer counts as charged and as in flight. It is not held
// while an answer is computed: a user's questions are answered concurrently.

type Prices = Readonly<Record<QuestionKind, number>>; // Points. A free use pays first: see `decideChange`.

type PendingAnswer = ReturnType<ReturnType<typeof createPendingAnswers>>;
type Asking = { operation: LedgerOperation; prices: Prices; answer: PendingAnswer };

/** Admits a question of a kind not yet known, or finds the entry of an earlier attempt.
 * @returns `refused`: the kinds of questions that the user cannot pay for, given those in flight */
const admit = ({ ledger, userStates }: ChatDeps, user: string, { operation, prices, answer }: Asking) =>
  ledger.withLock(user, async (locked) => {
    const state = await userStates.of(user, locked);
    refuseErased(state.profile);
    const { ledger } = state;
    const before = await ledger.find(operation);
    if (before !== undefined) return { ledger, before };
    const kinds = Object.keys(prices) as QuestionKind[];
    const refused = kinds.filter((kind) => !answer.reserve(state.funds, prices[kind]));
    // Most questions are of this kind: the others in flight are not computed on the same points.
    answer.reserve(state.funds, prices.other);
    return { ledger, state, refused };
  });

const NOTHING: Funds = { free: 0, points: 0 };
const canPay = ({ free, points }: Funds, cost: number): boolean => cost === 0 || free > 0 || points >= cost;

/** Reservations for each user's answers in flight, so that this process does not call a model for more answers than the
 * user can pay. They are in memory only: the charge itself decides, and a crash leaves nothing behind.
 * @returns a function that begins an answer of a user */
function createPendingAnswers() {
  const byUser = new Map<string, Set<{ reserved: Funds; readonly ended: Promise<void> }>>();
  return (user: string) => {
    let ends = (): void => undefined;
    const mine = { reserved: NOTHING, ended: new Promise<void>((resolve) => (ends = resolve)) };
    const all = byUser.get(user) ?? new Set();
    byUser.set(user, all.add(mine));
    return {
      /** Reserves a free use or `cost` points, replacing this answer's earlier reservation. False, with nothing
       * reserved, when the reservations of other answers leave the user too little of both. */
      reserve: (funds: Funds, cost: number): boolean => {
        mine.reserved = NOTHING;
        let { free, points } = funds;
        for (const { reserved } of all) {
          free -= reserved.free;
          points -= reserved.points;
        }
        if (!canPay({ free, points }, cost)) return false;
        if (cost > 0) mine.reserved = free > 0 ? { free: 1, points: 0 } : { free: 0, points: cost };
        return true;
      },
      /** Waits until another answer with a reservation ends; not if there is none. @throws AnpError 429 after `ms` */
      async anotherEnds(ms: number): Promise<void> {
        const others = [...all].filter(({ reserved }) => reserved !== NOTHING).map(({ ended }) => ended);
        const late = () => Promise.reject(new AnpError(429, "The points left are reserved for answers in flight."));
        if (others.length > 0) await withTimeout(Promise.race(others), Math.min(ms, DAY_MS), late);
      },
      release: () => void (mine.reserved = NOTHING),
      end: (): void => {
        ends();
        all.delete(mine);
        if (all.size === 0) byUser.delete(user);
      },
    };
  };
}
