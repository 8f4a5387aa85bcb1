import type { Subscription } from "../../accounts/subscriptions.ts";
import type { QuotaState } from "../../accounts/quota-rules.ts";
import type { SourceItem } from "../../assistant/passage.ts";
import type { Account, Entry } from "../../ledger/entry.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { fillTemplate, type TemplateValues } from "../../runtime/text/fill-template.ts";
import WORDINGS from "./account-answers.json" with { type: "json" };

const { facts: FACTS, sentences: SENTENCES } = WORDINGS;

interface AccountFacts {
  readonly account: Account;
  readonly quota: QuotaState;
  readonly subscription: Subscription;
  readonly recent: readonly Entry[];
  readonly exchange_rate: number; // Points a unit of the platform token.
  readonly read_at: string; // ISO 8601: when the figures were read.
}

type Fact = keyof typeof FACTS;
const FACTS_OF = WORDINGS.facts_of as Readonly<Record<string, readonly Fact[]>>; // Others get balance and quota.

/** An answer to a question about the user's own account, made only of the figures. */
export function answerFromAccount(sub_intent: string, lang: Language, facts: AccountFacts) {
  const used = FACTS_OF[sub_intent] ?? ["balance", "quota"];
  const sources = used.map((fact): SourceItem => {
    const { [lang]: title, url } = FACTS[fact];
    const snippet = sentence(fact, lang, facts);
    return { id: `account-${fact}`, kind: "account", title, url, lang, published_at: facts.read_at, snippet };
  });
  return { text: sources.map(({ snippet }) => snippet).join(lang === "zh" ? "" : " "), sources };
}

function sentence(fact: Fact, lang: Language, { account, quota, subscription, recent, exchange_rate }: AccountFacts) {
  const fill = (name: keyof typeof SENTENCES, values: TemplateValues) => fillTemplate(SENTENCES[name][lang], values);
  switch (fact) {
    case "balance":
      return fill(fact, { ...account, points: count(account.balance, "point") });
    case "quota":
      return fill(fact, { ...quota, free_uses: count(quota.free_daily_quota, "free use") });
    case "ledger": {
      const entries = recent.map(({ created_at, delta, description }) =>
        fill("entry", { created_at, signed: delta > 0 ? `+${delta}` : delta, description }),
      );
      return fill(entries.length === 0 ? "emptyLedger" : fact, { entries: entries.join(lang === "zh" ? "；" : "; ") });
    }
    case "subscription": {
      const { plan, is_active, expires_at, features } = subscription;
      const on = Object.keys(features).filter((name) => features[name] === true);
      const until = fill(expires_at === null ? "endless" : "until", { expires_at });
      return fill(is_active ? fact : "inactive", { plan, until, features: on.join(lang === "zh" ? "、" : ", ") });
    }
    case "exchange":
      return fill(fact, { exchange_rate, points: count(exchange_rate, "point") });
  }
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
