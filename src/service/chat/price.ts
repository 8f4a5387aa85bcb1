import type { Config } from "../../config/config-schema.ts";

/** The route of an advanced research, which has its own price. */
export const RESEARCH = "advanced_research";

/**
 * Points that a grounded answer costs, unless a free use pays for it (`decideChange` of the ledger uses those first).
 *
 * @param route of the answer, or {@link RESEARCH}
 */
export function priceOf({ costs }: Config, route: string): number {
  if (route === RESEARCH) return costs.advanced_research;
  if (route === "account") return costs.account;
  if (route === "small_talk") return costs.small_talk;
  return costs.default;
}

/** Points to charge for an answer: nothing without grounds, and no free use either. */
export function chargeFor(price: number, { grounded }: { readonly grounded: boolean }): number {
  return grounded ? price : 0;
}
