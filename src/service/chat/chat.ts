import type { Subscription, Subscriptions } from "../../accounts/subscriptions.ts";
import type { QuotaRules } from "../../accounts/quota-rules.ts";
import type { Answer, Assistant, Turn } from "../../assistant/assistant.ts";
import type { Routing } from "../../assistant/routing/routing.ts";
import type { OperationData, OperationInput } from "../../contract/endpoints.ts";
import { AnpError } from "../../contract/errors.ts";
import type { Events } from "../../events/events.ts";
import { QUESTION_ASKED } from "../../events/projections/hot-questions.ts";
import type { Entry } from "../../ledger/entry.ts";
import type { Ledger, Operation, Posting, LedgerState } from "../../ledger/ledger.ts";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import type { News } from "../../news/news.ts";
import { toIso, type Clock } from "../../runtime/clock.ts";
import type { Ids } from "../../runtime/ids.ts";
import type { Logger } from "../../runtime/logger.ts";
import { answerFromAccount } from "./account-answers.ts";
import { createAdmission } from "./admission.ts";
import type { Config } from "../../config/config-schema.ts";
import { describeEntry } from "../../ledger/describe-entry.ts";
import type { Knowledge } from "../knowledge.ts";
import type { Message, Messages } from "../../assistant/sessions/messages.ts";
import { operationOf, userOf, type Call, type OperationHandler } from "../operation.ts";
import type { UserStates, UserState } from "../user-state.ts";

/** Turns of a session that the plan's memory gives to the answer. */
const MEMORY_TURNS = 6;
/** Entries that an answer about the ledger tells. */
const RECENT_ENTRIES = 3;
/** The route of an advanced research, priced on its own. */
const RESEARCH = "advanced_research";

/** Everything an answer is made for. */
interface Question {
  readonly user: string;
  readonly call: Call;
  readonly body: OperationInput<"sendChat">["body"];
  readonly routing: Routing;
  readonly research: boolean;
  readonly history: readonly Turn[];
  readonly ledgerState: LedgerState;
  readonly quota: number;
  readonly subscription: Subscription;
}

type Answered = ReturnType<OperationHandler<"sendChat">>;

/** Where a question meets the ledger: route, admit, answer, store, charge once, then reply. */
export function createChat(deps: {
  config: Config;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  quotaRules: QuotaRules;
  ledger: Ledger;
  userStates: UserStates;
  subscriptions: Subscriptions;
  messages: Messages;
  assistant: Assistant;
  knowledge: Knowledge;
  news: News;
  events: Events;
}): OperationHandler<"sendChat"> {
  const { config, clock, ids, logger, ledger, userStates, messages, assistant, knowledge, news } = deps;
  const admission = createAdmission();
  const inTurn = createKeyedMutex();
  const repeats = createKeyedMutex();

  async function send(call: Call, user: string, operation: Operation, body: Question["body"]): Answered {
    const started = clock.now();
    const subscription = await deps.subscriptions.get(user);
    const history = await turnsOf(user, body.session_id, subscription);
    const routing = assistant.route(body.question, { history, ...hintsOf(body) });
    const research = routing.research && subscription.features[RESEARCH] === true;
    const cost = costOf(config, research ? RESEARCH : routing.route);

    const admitted = await inTurn(user, () => admit(user, operation, cost));
    if ("before" in admitted) return replay(admitted.before);
    const { ledgerState, quota, leave } = admitted;
    try {
      const reply = await answer({ user, call, body, routing, research, history, ledgerState, quota, subscription });
      const message = await messages.create(
        {
          user_id: user,
          question: body.question,
          answer: reply.text,
          route: research ? RESEARCH : reply.routing.route,
          sub_intent: reply.routing.sub_intent,
          source_items: reply.sources,
          model_name: reply.model_name,
          latency_ms: Math.max(0, clock.now() - started),
        },
        body.session_id,
      );
      const { route, sub_intent, message_id, session_id } = message;
      const posting: Posting = {
        operation,
        command: {
          type: "chat_cost",
          cost: reply.grounded ? cost : 0,
          quota,
          message_id,
          session_id,
          route,
          sub_intent,
        },
        ref_id: call.request_id,
        describe: (change) => describeEntry(change, routing.lang),
      };
      const { entry, replayed } = await inTurn(user, () => ledger.post(user, posting).finally(leave));
      if (replayed) return await replay(entry);
      await afterCharge(message, reply.routing);
      return { data: toAnswer(message, entry) };
    } finally {
      leave();
    }
  }

  /** To be run in the user's turn, as the charge is: what is charged must not be seen and counted as in flight too. */
  async function admit(
    user: string,
    operation: Operation,
    cost: number,
  ): Promise<{ before: Entry } | (UserState & { leave: () => void })> {
    const now = await userStates.of(user);
    // Read after the state: when this very operation took what was there, it is found.
    const before = await ledger.find(user, operation);
    if (before !== undefined) return { before };
    const leave = cost === 0 ? () => undefined : admission.enter(user, now.means, cost);
    if (leave === undefined) throw new AnpError(1005);
    return { ...now, leave };
  }

  async function replay(entry: Entry): Answered {
    if (entry.details.type !== "chat_cost") throw new AnpError(500, `Entry ${entry.id} is no chat.`);
    const message = await messages.get(entry.details.message_id);
    await messages.rejoin(message);
    return { data: toAnswer(message, entry), replayed: true };
  }

  async function turnsOf(user: string, session: number | undefined, subscription: Subscription): Promise<Turn[]> {
    if (session === undefined || subscription.features["memory"] !== true) return [];
    const earlier = await messages.history(user, session, MEMORY_TURNS);
    return earlier.map(({ question, answer }) => ({ question, answer }));
  }

  async function answer(asked: Question): Promise<Answer> {
    const { user, call, body, routing, ledgerState, quota, subscription } = asked;
    if (routing.route === "account") {
      const use = { day: ledgerState.account.free_day, used: ledgerState.account.free_used };
      const facts = {
        account: ledgerState.account,
        quota: deps.quotaRules.stateOf(use, quota, clock.now()),
        subscription,
        recent: (await ledger.page(user, 1, RECENT_ENTRIES)).entries,
        exchange_rate: config.exchange.rate,
        read_at: toIso(clock.now()),
      };
      return {
        ...answerFromAccount(routing.sub_intent, routing.lang, facts),
        grounded: true,
        routing,
        model_name: "local-account",
      };
    }
    const market = routing.route === "market" ? await mood(routing.lang) : undefined;
    return assistant.answer(
      {
        question: body.question,
        routing,
        history: asked.history,
        wide: asked.research,
        ...hintsOf(body),
        now: clock.now(),
        ...(market === undefined ? {} : { market }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      },
      await knowledge.index(),
    );
  }

  async function mood(lang: "zh" | "en") {
    const { topics, sentiment_overview } = await news.hotTopics({ days: 1, limit: 5, lang });
    return { ...sentiment_overview, hot: topics.map(({ topic }) => topic) };
  }

  /** What follows a charge must not undo it: the answer is paid for and is sent. */
  async function afterCharge(message: Message, routing: Routing): Promise<void> {
    try {
      await messages.join(message);
    } catch (error) {
      logger.error({ err: error, message_id: message.message_id }, "a charged answer could not join its session");
    }
    const talk = routing.route === "small_talk" || routing.route === "out_of_scope";
    const recorded = deps.events.record({
      event_type: talk ? "chat_message" : QUESTION_ASKED,
      user_id: message.user_id,
      session_id: message.session_id,
      message_id: message.message_id,
      route: message.route,
      sub_intent: message.sub_intent,
      event_payload: { question: message.question, lang: routing.lang },
    });
    recorded.catch((error: unknown) => {
      logger.error({ err: error, message_id: message.message_id }, "a question asked could not be recorded");
    });
  }

  return (call, { body }) => {
    const user = userOf(call);
    const operation = operationOf(call, ids, { type: "chat", ...body });
    // A repeat that comes while the first call is being answered waits for that answer instead of asking for another.
    return repeats(JSON.stringify([user, operation.id]), () => send(call, user, operation, body));
  };
}

function hintsOf(body: OperationInput<"sendChat">["body"]): { page_context?: string; token_symbol?: string } {
  return {
    ...(body.page_context ? { page_context: body.page_context } : {}),
    ...(body.token_symbol ? { token_symbol: body.token_symbol } : {}),
  };
}

function costOf(config: Config, route: string): number {
  const { costs } = config;
  if (route === RESEARCH) return costs.advanced_research;
  if (route === "account") return costs.account;
  if (route === "small_talk") return costs.small_talk;
  return costs.default;
}

/** The answer as the interface shows it, its fields in the interface's order. */
function toAnswer(message: Message, entry: Entry): OperationData<"sendChat"> {
  return {
    message_id: message.message_id,
    session_id: message.session_id,
    answer: message.answer,
    route: message.route,
    sub_intent: message.sub_intent,
    source_items: message.source_items,
    points_cost: Math.max(0, -entry.delta),
    credits_remaining: entry.account.balance,
    model_name: message.model_name,
    latency_ms: message.latency_ms,
  };
}
