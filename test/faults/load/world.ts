import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createQuotaRules } from "../../../src/accounts/quota-rules.ts";
import { createTokens } from "../../../src/accounts/tokens.ts";
import { createUsers } from "../../../src/accounts/users.ts";
import type { Entry } from "../../../src/ledger/entry.ts";
import { createLedger } from "../../../src/ledger/ledger.ts";
import { verifyLedgers } from "../../../src/ledger/verify-ledgers.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { systemRandom } from "../../../src/runtime/random.ts";
import { encodeSegment } from "../../../src/storage/keys.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { checkHistory } from "./check-history.ts";
import { tokenOf } from "./daemon-process.ts";
import type { Call } from "./history.ts";
import { soak } from "./options.ts";

/** A question that every server answers alike, without news or articles; see {@link SETTINGS} for its price. */
export const QUESTION = "What is my balance?";

/** The settings of the servers under test, by the names of the configuration; the model's TERMS are the same. */
export const SETTINGS: Readonly<Record<string, string | number>> = { "costs.account": 1, "exchange.rate": 10 };

/** {@link SETTINGS} as a configuration file. */
export const CONFIG_FILE = JSON.stringify({ costs: { account: 1 }, exchange: { rate: 10 } });

/** Creates users with these free uses a day, and a token each. */
export async function createWorld(storage: Storage, users: readonly string[], quota: number): Promise<void> {
  const deps = { storage, clock: systemClock, ttl_ms: 0 };
  for (const user of users) {
    await createUsers(deps).create(user, { free_daily_quota: quota, lang: "en" });
    await createTokens({ ...deps, random: systemRandom }).register(user, tokenOf(user), "bench");
  }
}

/** All entries of a user, from the storage itself. */
export async function entriesOf(storage: Storage, user: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  const ledger = createLedger({ storage, clock: systemClock, quotaRules: createQuotaRules("+08:00") });
  for await (const entry of ledger.entries(user)) entries.push(entry);
  return entries;
}

/**
 * What is wrong with the ledgers that the calls left, in words; see `checkHistory`. A long run keeps what was wrong in a
 * file, since another run of the same seed need not meet at the same instant.
 */
export async function judge(
  storage: Storage,
  users: readonly string[],
  calls: readonly Call[],
  quota: number,
): Promise<string[]> {
  const wrong: string[] = [];
  const faulty = new Set<string>();
  for await (const { user_id, damage } of verifyLedgers(storage, { users, profiles: false })) {
    if (damage === undefined) continue;
    wrong.push(`${user_id}, entry ${damage.entry}: ${damage.message}`);
    faulty.add(user_id);
  }
  for (const user of users.filter((one) => !faulty.has(one))) {
    const mine = calls.filter(({ asked }) => asked.user === user);
    const entries = await entriesOf(storage, user);
    const found = checkHistory(entries, mine, quota);
    wrong.push(...found.map((one) => `${user}, ${one}`));
    if (found.length > 0 && soak !== undefined) {
      const file = join(tmpdir(), `anp-violation-${soak.seed}-${encodeSegment(user)}.json`);
      await writeFile(file, JSON.stringify({ found, quota, entries, calls: mine }));
      console.log(`${user}: the history is in ${file}`);
    }
  }
  return wrong;
}
