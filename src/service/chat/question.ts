import type { Subscription, Subscriptions } from "../../accounts/subscriptions.ts";
import type { Assistant, Turn } from "../../assistant/assistant.ts";
import type { Routing } from "../../assistant/routing/routing.ts";
import type { Messages } from "../../assistant/sessions/messages.ts";
import type { Config } from "../../config/config-schema.ts";
import type { OperationInput } from "../../contract/endpoints.ts";
import { priceOf, RESEARCH } from "./price.ts";

/** Turns of a session that the plan's memory gives to the answer. */
const MEMORY_TURNS = 6;

type Body = OperationInput<"sendChat">["body"];

/** A question as it is answered and priced. */
export interface Question {
  readonly user: string;
  readonly body: Body;
  readonly routing: Routing;
  /** The route to report when it is not the routing's own. */
  readonly research: typeof RESEARCH | undefined;
  readonly history: readonly Turn[];
  readonly subscription: Subscription;
  /** Points of a grounded answer where no free use pays for it. */
  readonly price: number;
}

/** Routes a question by its words, its session and the user's plan. */
export async function readQuestion(
  deps: { config: Config; subscriptions: Subscriptions; messages: Messages; assistant: Assistant },
  user: string,
  body: Body,
): Promise<Question> {
  const subscription = await deps.subscriptions.get(user);
  const history = await turnsOf(deps.messages, user, body.session_id, subscription);
  const routing = deps.assistant.route(body.question, { history, ...hintsOf(body) });
  const research = routing.research && subscription.features[RESEARCH] === true ? RESEARCH : undefined;
  const price = priceOf(deps.config, research ?? routing.route);
  return { user, body, routing, research, history, subscription, price };
}

async function turnsOf(
  messages: Messages,
  user: string,
  session: number | undefined,
  subscription: Subscription,
): Promise<Turn[]> {
  if (session === undefined || subscription.features["memory"] !== true) return [];
  const earlier = await messages.history(user, session, MEMORY_TURNS);
  return earlier.map(({ question, answer }) => ({ question, answer }));
}

/** What the page says of the question. */
export function hintsOf(body: Body): { page_context?: string; token_symbol?: string } {
  return {
    ...(body.page_context ? { page_context: body.page_context } : {}),
    ...(body.token_symbol ? { token_symbol: body.token_symbol } : {}),
  };
}
