import type { Subscription } from "../../accounts/subscriptions.ts";
import type { Answer } from "../../assistant/answer.ts";
import type { PreparedQuestion } from "../../assistant/assistant.ts";
import type { SourceItem } from "../../assistant/passage.ts";
import type { Config } from "../../config/config-schema.ts";
import { toIso, type Clock } from "../../runtime/clock.ts";
import { fillTemplate, type TemplateValues } from "../../runtime/text/fill-template.ts";
import type { UserState } from "../user-state.ts";
import WORDINGS from "./account-answers.json" with { type: "json" };

const { facts: FACTS, sentences: SENTENCES } = WORDINGS;
const RECENT_ENTRIES = 3;

type Fact = keyof typeof FACTS;
const FACTS_OF = WORDINGS.facts_of as Readonly<Record<string, readonly Fact[]>>; // Others get balance and quota.

/** Answers a question about the user's own account, only from the figures. */
export async function answerAboutAccount(
  { config, clock }: { readonly config: Config; readonly clock: Clock },
  { routing }: PreparedQuestion,
  { plan, is_active, expires_at, features }: Subscription,
  { ledger, quotaState }: UserState,
): Promise<Answer> {
  const { lang, sub_intent } = routing;
  const { account } = ledger;
  const { rate: exchange_rate } = config.exchange;
  const fill = (name: keyof typeof SENTENCES, values: TemplateValues) => fillTemplate(SENTENCES[name][lang], values);
  const recent = (await ledger.page(1, RECENT_ENTRIES)).entries.map(({ created_at, delta, description }) =>
    fill("entry", { created_at, signed: delta > 0 ? `+${delta}` : delta, description }),
  );
  const on = Object.keys(features).filter((name) => features[name] === true);
  const values = {
    ...{ ...account, ...quotaState, plan, exchange_rate },
    points: count(account.balance, "point"),
    free_uses: count(quotaState.free_daily_quota, "free use"),
    points_a_token: count(exchange_rate, "point"),
    entries: recent.join(lang === "zh" ? "；" : "; "),
    features: on.join(lang === "zh" ? "、" : ", "),
    until: fill(expires_at === null ? "endless" : "until", { expires_at }),
  };
  const wordingOf = (fact: Fact): keyof typeof SENTENCES => {
    if (fact === "ledger" && recent.length === 0) return "emptyLedger";
    return fact === "subscription" && !is_active ? "inactive" : fact;
  };
  const published_at = toIso(clock.now());
  const sources = (FACTS_OF[sub_intent] ?? ["balance", "quota"]).map((fact): SourceItem => {
    const { [lang]: title, url } = FACTS[fact];
    const snippet = fill(wordingOf(fact), values);
    return { id: `account-${fact}`, kind: "account", title, url, lang, published_at, snippet };
  });
  const text = sources.map(({ snippet }) => snippet).join(lang === "zh" ? "" : " ");
  return { text, sources, outcome: "answered", routing, model_name: "local-account" };
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
