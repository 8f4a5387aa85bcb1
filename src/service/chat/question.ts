import type { Subscriptions } from "../../accounts/subscriptions.ts";
import { ordinalOf } from "../../assistant/answering/ordinals.ts";
import type { Messages } from "../../assistant/sessions/messages.ts";
import { detectLanguage, nearestLanguage } from "../../language/detect-language.ts";
import type { OperationInput } from "../../contract/endpoints.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { GroundedSuggestions as Suggestions } from "../grounded-suggestions.ts";

/** The route of an advanced research, which has its own price. */
export const ADVANCED_RESEARCH = "advanced_research";

const MEMORY_TURNS = 6; // Turns of the session that a plan with memory passes on.
const RECENT_ENTRIES = 16; // Entries searched for charged answers that the session lacks yet.

type Stores = { readonly subscriptions: Subscriptions; readonly messages: Messages; readonly ledger: Ledger };
type QuestionDeps = Stores & { readonly clock: Clock; readonly suggestions: Suggestions };
/** A question with the context of its user's plan and session. */
export type Question = Awaited<ReturnType<typeof readQuestion>>;

export async function readQuestion(deps: QuestionDeps, user: string, body: OperationInput<"sendChat">["body"]) {
  const subscription = await deps.subscriptions.get(user);
  const { session_id: given } = body;
  // The session that the answer joins; undefined for a new one.
  const session = given !== undefined && (await deps.messages.isOver(user, given)) ? undefined : given;
  // A choice among offered titles needs the last turn, also without memory.
  const isRecalled = subscription.features["memory"] === true || ordinalOf(body.question) !== undefined;
  const isWordless = detectLanguage(body.question, "zh") !== detectLanguage(body.question, "en");
  const earlier = session !== undefined && (isRecalled || isWordless) ? await recall(deps, user, session) : [];
  const about = await deps.suggestions.itemsOf(body.question);
  const asked = {
    question: body.question,
    history: isRecalled ? earlier.map(({ question, answer }) => ({ question, answer })) : [],
    ...(isWordless && earlier.length > 0 && { lang: nearestLanguage(earlier.at(-1)!.lang ?? "zh") }),
    research: subscription.features[ADVANCED_RESEARCH] === true,
    now: deps.clock.now(),
    ...(about && { about }),
    ...(body.page_context ? { page_context: body.page_context } : {}),
    ...(body.token_symbol ? { token_symbol: body.token_symbol } : {}),
  };
  return { user, body, session, subscription, asked };
}

/** The turns of a session, including a charged answer of any process that has not joined it yet. */
async function recall({ messages, ledger }: QuestionDeps, user: string, session: number) {
  const { entries } = await (await ledger.open(user)).page(1, RECENT_ENTRIES);
  const charged = entries.flatMap(({ details }) =>
    details.type === "chat_cost" && details.session_id === session ? [details.message_id] : [],
  );
  return messages.history(user, session, MEMORY_TURNS, charged.reverse());
}
