import type { Subscription } from "../../accounts/subscriptions.ts";
import type { QuotaState } from "../../accounts/quota-rules.ts";
import type { SourceItem } from "../../assistant/passage.ts";
import type { Account, Entry } from "../../ledger/entry.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";

/** The user's own figures that an answer may use. */
export interface AccountFacts {
  readonly account: Account;
  readonly quota: QuotaState;
  readonly subscription: Subscription;
  /** The last entries, newest first. */
  readonly recent: readonly Entry[];
  /** Points a unit of the platform token. */
  readonly exchange_rate: number;
  /** ISO 8601: when the figures were read. */
  readonly read_at: string;
}

/** An answer to a question about the user's own account, made only of the figures. */
export interface AccountAnswer {
  readonly text: string;
  readonly sources: SourceItem[];
}

type Fact = "balance" | "quota" | "ledger" | "subscription" | "exchange";

const TITLES: Record<Fact, Record<Language, string>> = {
  balance: { zh: "我的积分", en: "My points" },
  quota: { zh: "今日免费次数", en: "Free uses today" },
  ledger: { zh: "积分明细", en: "Points ledger" },
  subscription: { zh: "我的订阅", en: "My subscription" },
  exchange: { zh: "积分兑换", en: "Exchange" },
};

const URLS: Record<Fact, string> = {
  balance: "/api/v1/ai/points",
  quota: "/api/v1/ai/me",
  ledger: "/api/v1/ai/points/ledger",
  subscription: "/api/v1/ai/subscription",
  exchange: "/api/v1/ai/points/exchange",
};

/** Which figures answer which sub-intent; any other is answered with balance and quota. */
const FACTS: Readonly<Record<string, readonly Fact[]>> = {
  balance: ["balance", "quota"],
  quota: ["quota", "balance"],
  quota_reset: ["quota"],
  ledger: ["ledger", "balance"],
  subscription: ["subscription"],
  exchange: ["exchange", "balance"],
};

export function answerFromAccount(sub_intent: string, lang: Language, facts: AccountFacts): AccountAnswer {
  const used = FACTS[sub_intent] ?? ["balance", "quota"];
  const sources = used.map((fact): SourceItem => {
    return {
      id: `account-${fact}`,
      kind: "account",
      title: TITLES[fact][lang],
      url: URLS[fact],
      lang,
      published_at: facts.read_at,
      snippet: sentence(fact, lang, facts),
    };
  });
  return { text: sources.map(({ snippet }) => snippet).join(lang === "zh" ? "" : " "), sources };
}

function sentence(fact: Fact, lang: Language, facts: AccountFacts): string {
  const zh = lang === "zh";
  const { account, quota, subscription, recent, exchange_rate } = facts;
  switch (fact) {
    case "balance":
      return zh
        ? `您当前有 ${account.balance} 积分，累计获得 ${account.total_earned}，累计消耗 ${account.total_spent}。`
        : `You have ${count(account.balance, "point")}: ${account.total_earned} earned and ${account.total_spent} spent in all.`;
    case "quota": {
      const { free_daily_quota, free_daily_used, remaining_free_quota, next_reset_at } = quota;
      return zh
        ? `今日免费次数共 ${free_daily_quota} 次，已用 ${free_daily_used} 次，剩余 ${remaining_free_quota} 次，下次重置时间为 ${next_reset_at}。`
        : `You have ${remaining_free_quota} of ${count(free_daily_quota, "free use")} left today (${free_daily_used} used); the next reset is at ${next_reset_at}.`;
    }
    case "ledger": {
      if (recent.length === 0) return zh ? "您还没有积分记录。" : "Your points ledger has no entries yet.";
      const lines = recent.map(({ created_at, delta, description }) => {
        const signed = delta > 0 ? `+${delta}` : String(delta);
        return zh ? `${created_at} ${signed}（${description}）` : `${created_at} ${signed} (${description})`;
      });
      return zh ? `最近的积分记录：${lines.join("；")}。` : `Your latest entries: ${lines.join("; ")}.`;
    }
    case "subscription": {
      const { plan, is_active, expires_at, features } = subscription;
      const on = Object.keys(features).filter((name) => features[name] === true);
      if (!is_active) {
        return zh
          ? `您当前是 ${plan} 方案，没有生效中的订阅，高级功能未开启。`
          : `You are on the ${plan} plan without an active subscription; advanced features are off.`;
      }
      const until = expires_at === null ? (zh ? "长期有效" : "without an end date") : expires_at;
      return zh
        ? `您当前是 ${plan} 方案，订阅生效中（到期时间：${until}），已开启的功能：${on.join("、")}。`
        : `You are on the ${plan} plan, active ${expires_at === null ? until : `until ${until}`}; features on: ${on.join(", ")}.`;
    }
    case "exchange":
      return zh
        ? `当前兑换比例为每个平台代币 ${exchange_rate} 积分。`
        : `The exchange rate is ${count(exchange_rate, "point")} a token.`;
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
