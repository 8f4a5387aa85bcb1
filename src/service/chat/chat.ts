import { refuseErased } from "../../accounts/users.ts";
import type { QuestionKind } from "../../assistant/assistant.ts";
import { AnpError } from "../../contract/errors.ts";
import type { ModelCall } from "../../assistant/model/model-call.ts";
import type { TokenBudgets } from "../../assistant/model/token-budgets.ts";
import type { Ids } from "../../runtime/ids.ts";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import { createWindowCounter } from "../../runtime/cache/window-counter.ts";
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
  const { assistant, clock, ids, knowledge, ledger, messages } = deps;
  const { account, small_talk, advanced_research, default: other } = deps.config.costs;
  const prices: Prices = { account, small_talk, advanced_research, other };
  const wait_ms = deps.config.limits.wait_ms || Infinity;
  const countUnpaid = createUnpaidLimit();
  const begin = createPendingAnswers();
  const mutex = createKeyedMutex();
  const repair = createAnswerRepair(deps);

  async function answerOnce(call: Call, user: string, body: Question["body"], operation: LedgerOperation) {
    const answer = begin(user);
    try {
      const started = clock.now();
      const question = await readQuestion(deps, user, body);
      const admitted = await admit(deps, user, { operation, prices, answer });
      repair.check(user, admitted.ledger);
      if ("before" in admitted) return await redeliver(messages, admitted.before);
      const { state, refused } = admitted;
      const computes = (): void => (refused.includes("other") ? countUnpaid(user) : undefined);
      await knowledge.ready();
      const use = { signal: call.signal, meter: deps.budgets?.meterOf(user), calls: [] as ModelCall[] };
      const asked = { lang: state.profile.lang, ...question.asked, refused, zone: deps.config.quota.timezone };
      const prepared = await assistant.prepare(asked, { caller: user, wait_ms, computes, ...use });
      call.explain?.({ ...(await assistant.explain(asked, prepared)), calls: use.calls });
      const { kind, routing } = prepared;
      if (refused.includes(kind) || !answer.reserve(state.funds, prices[kind])) throw new AnpError(1005);
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
          const { message_id, session_id, route, sub_intent } = message;
          const answered = { message_id, session_id, route, sub_intent };
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

/** Counts a question of a user who cannot pay. @throws AnpError 429 over the limit */
function createUnpaidLimit() {
  const unpaid = createWindowCounter(UNPAID_WINDOW_MS);
  return (user: string): void => {
    const { times, left_ms } = unpaid(user);
    const headers = { "retry-after": String(Math.ceil(left_ms / 1000)) };
    if (times > MAX_UNPAID) throw new AnpError(429, "Too many questions without points or a free use.", { headers });
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

/** Reservations for each user's answers in flight, so that this process does not call a model for more answers than the
 * user can pay. They are in memory only: the charge itself decides, and a crash leaves nothing behind.
 * @returns a function that begins an answer of a user */
function createPendingAnswers() {
  const byUser = new Map<string, Set<{ reserved: Funds }>>();
  return (user: string) => {
    const mine = { reserved: NOTHING };
    const all = byUser.get(user) ?? new Set();
    byUser.set(user, all.add(mine));
    return {
      /** Reserves a free use or `cost` points, replacing this answer's earlier reservation. False, with nothing
       * reserved, when the reservations of other answers leave the user too little of both. */
      reserve: (funds: Funds, cost: number): boolean => {
        mine.reserved = NOTHING;
        if (cost === 0) return true;
        let { free, points } = funds;
        for (const { reserved } of all) {
          free -= reserved.free;
          points -= reserved.points;
        }
        if (free <= 0 && points < cost) return false;
        mine.reserved = free > 0 ? { free: 1, points: 0 } : { free: 0, points: cost };
        return true;
      },
      release: () => void (mine.reserved = NOTHING),
      end: (): void => {
        all.delete(mine);
        if (all.size === 0) byUser.delete(user);
      },
    };
  };
}
