import { type Verification, verifyLedgers } from "../../src/ledger/verify-ledgers.ts";
import type { Storage } from "../../src/storage/storage.ts";

/** Verifies the ledger of one user, who need not have a profile. */
export async function verifyLedger(storage: Storage, user: string): Promise<Verification> {
  for await (const found of verifyLedgers(storage, { users: [user], profiles: false })) return found;
  return { user_id: user, entries: 0, balance: 0, head: null };
}
