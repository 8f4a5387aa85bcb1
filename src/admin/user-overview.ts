import type { Entry } from "../ledger/entry.ts";
import { feedbackOf, type UserFeedback } from "../events/projections/user-feedback.ts";
import { readMessages } from "../assistant/sessions/messages.ts";
import type { AccountsService } from "../service/accounts-service.ts";
import { toRow as toLedgerRow } from "../cli/commands/ledger/daemon-ledger-reader.ts";
import type { LedgerRow } from "../cli/commands/ledger/ledger-columns.ts";
import { toRow as toTokenRow, type TokenRow } from "./token-state.ts";
import { detailsOf, type UserDetails } from "./user-details.ts";

/** Questions, entries and words of feedback that an overview has at most. */
const SHOWN = 5;
/** Entries among which the last questions are looked for. */
const LOOKED_AT = 50;
const FEEDBACK_DAYS = 7;

/** A question that a user paid for, in points or with a free use. */
export interface AskedQuestion {
  readonly message_id: number;
  readonly created_at: string;
  readonly question: string;
  readonly route: string;
  readonly sub_intent: string;
  /** Number of the entry that charged for it. */
  readonly entry: number;
  readonly points_cost: number;
  readonly free_use: boolean;
  readonly ref_id: string;
}

/** What support needs to know of a user, newest first. */
export interface Overview {
  readonly details: UserDetails;
  readonly features: Readonly<Record<string, boolean>>;
  readonly tokens: readonly TokenRow[];
  readonly last_questions: readonly AskedQuestion[];
  readonly last_entries: readonly LedgerRow[];
  /** Of the last 7 days. */
  readonly feedback: readonly UserFeedback[];
}

/** @throws AnpError 404 for a user who is not known */
export async function overviewOf(service: AccountsService, user: string): Promise<Overview> {
  const { storage, clock } = service;
  const now = clock.now();
  const details = await detailsOf(service, user);
  const [{ features }, { entries }, tokens, feedback] = await Promise.all([
    service.subscriptions.get(user),
    service.ledger.page(user, 1, LOOKED_AT),
    service.tokens.list(user),
    feedbackOf(storage, user, { now, days: FEEDBACK_DAYS, most: SHOWN }),
  ]);
  return {
    details,
    features,
    tokens: tokens.map((token) => toTokenRow(token, now)).reverse(),
    last_questions: await questionsOf(service, entries),
    last_entries: entries.slice(0, SHOWN).map(toLedgerRow),
    feedback,
  };
}

async function questionsOf({ storage }: AccountsService, entries: readonly Entry[]): Promise<AskedQuestion[]> {
  const charges = new Map<number, Entry>();
  for (const entry of entries) {
    if (entry.details.type === "chat_cost" && charges.size < SHOWN) charges.set(entry.details.message_id, entry);
  }
  const messages = await readMessages(storage, [...charges.keys()]);
  return messages.map(({ message_id, created_at, question, route, sub_intent }) => {
    const { id, delta, details, ref_id } = charges.get(message_id)!;
    const free_use = details.type === "chat_cost" && details.free;
    return {
      message_id,
      created_at,
      question,
      route,
      sub_intent,
      entry: id,
      points_cost: -delta || 0,
      free_use,
      ref_id,
    };
  });
}
