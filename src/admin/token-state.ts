import type { TokenRecord } from "../accounts/tokens.ts";

/** A token as operators see it. */
export interface TokenRow extends TokenRecord {
  readonly state: "active" | "expired" | "revoked";
}

/** @param now ms since the epoch */
export function toTokenRow(record: TokenRecord, now: number): TokenRow {
  const expired = record.expires_at !== null && Date.parse(record.expires_at) <= now;
  return { ...record, state: record.revoked_at !== null ? "revoked" : expired ? "expired" : "active" };
}
