import type { Change } from "./decide.ts";
import type { Language } from "../contract/schemas/shared-fields.ts";

/** The description of a ledger entry. */
export function describeEntry(change: Change, lang: Language): string {
  const { details, delta } = change;
  const zh = lang === "zh";
  switch (details.type) {
    case "chat_cost": {
      const topic = `${details.route}/${details.sub_intent}`;
      if (details.free) return zh ? `问答（${topic}），使用免费次数` : `Answer (${topic}), free use`;
      if (delta === 0) return zh ? `问答（${topic}），不收费` : `Answer (${topic}), no charge`;
      return zh ? `问答（${topic}）` : `Answer (${topic})`;
    }
    case "exchange": {
      const { token_amount, exchange_rate } = details;
      return zh
        ? `兑换 ${token_amount} 个代币，汇率 ${exchange_rate}`
        : `Exchange of ${token_amount} tokens at rate ${exchange_rate}`;
    }
    case "trade_reward": {
      const { trade_type, volume_usd } = details;
      const kind = zh ? { spot: "现货", futures: "合约" }[trade_type] : trade_type;
      return zh ? `${kind}交易奖励，成交额 ${volume_usd} USD` : `Reward for ${kind} volume of ${volume_usd} USD`;
    }
    case "adjust":
      return zh ? `人工调整：${details.reason}` : `Adjustment: ${details.reason}`;
  }
}

/** Whether a description says that a free use paid for the entry: the interface has no other sign of it. */
export function saysFreeUse(description: string): boolean {
  return /^(Answer \(.*\), free use|问答（.*），使用免费次数)$/.test(description);
}
