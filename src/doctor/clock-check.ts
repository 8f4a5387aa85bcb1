import { createQuotaRules } from "../accounts/quota-rules.ts";
import { failed, ok } from "../storage/finding.ts";
import type { Check, CheckInput } from "./check.ts";

/** Ids count milliseconds from here, with 41 bits. */
const FIRST = Date.parse("2026-01-01T00:00:00Z");
const LAST = FIRST + 2 ** 41;

/** Whether the machine's clock is plausible, and when the free uses reset. */
export function clockCheck({ loaded: { config }, now }: CheckInput): Check {
  return {
    name: "clock",
    bound_ms: 1000,
    run() {
      const at = new Date(now).toISOString();
      if (now < FIRST || now > LAST) {
        return Promise.resolve([
          failed(
            "system",
            `The clock shows ${at}: entries, tokens and quota days would be dated wrongly.`,
            "Set the machine's clock and keep it synchronised (chrony, systemd-timesyncd).",
          ),
        ]);
      }
      const { next_reset_at } = createQuotaRules(config.quota.timezone).stateOf({ day: "", used: 0 }, 0, now);
      return Promise.resolve([ok("system", `The clock shows ${at}; the free uses reset at ${next_reset_at}.`)]);
    },
  };
}
