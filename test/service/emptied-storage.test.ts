import { rm } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";
import { createTokens } from "../../src/accounts/tokens.ts";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { createUsers } from "../../src/accounts/users.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { seededRandom } from "../../src/runtime/random.ts";
import { StorageReplacedError } from "../../src/storage/storage.ts";
import { identifyStorage } from "../../src/storage/identity/storage-identity.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { temporaryFolder } from "../support/folder.ts";

it.each(["token", "user", "ledger"] as const)(
  "takes a %s that an emptied storage does not have for lost, not for one that never was",
  async (what) => {
    const { path, remove } = await temporaryFolder();
    onTestFinished(remove);
    const storage = await openStorage(`fs:${path}/data`);
    await identifyStorage(storage, { expected: undefined, create: true });
    const deps = { storage, clock: fixedClock(0), random: seededRandom("x"), ttl_ms: 0 };
    const [tokens, users] = [createTokens(deps), createUsers(deps)];
    const ledger = createLedger({ ...deps, quotaRules: createQuotaRules("+08:00") });
    const read = {
      token: (name: string) => tokens.resolve(name),
      user: (name: string) => users.get(name),
      ledger: async (name: string) => (await ledger.open(name)).version || undefined,
    }[what];
    expect(await read("nobody")).toBeUndefined();
    await rm(`${path}/data`, { recursive: true });
    await expect(read("alice")).rejects.toThrow(StorageReplacedError);
  },
);
