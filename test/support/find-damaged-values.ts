import { checkValues, type DamagedValue } from "../../src/admin/find-damaged-values.ts";
import { verifyLedgers } from "../../src/ledger/verify-ledgers.ts";
import type { Storage } from "../../src/storage/storage.ts";

/** What a verification finds beside the ledgers of all users, or of one. */
export async function findDamagedValues(storage: Storage, user?: string): Promise<DamagedValue[]> {
  const found: DamagedValue[] = [];
  const hooks = checkValues(storage, (damaged) => found.push(damaged));
  for await (const _ of verifyLedgers(storage, { users: user === undefined ? undefined : [user], hooks }));
  return found;
}
