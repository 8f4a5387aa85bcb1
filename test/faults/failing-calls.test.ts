import { describe, expect, it } from "vitest";
import { verifyLedger } from "../support/verify-ledger.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { systemRandom } from "../../src/runtime/random.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { createService, type Service } from "../../src/service/service.ts";
import { printKey } from "../../src/storage/documents.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";
import { askService } from "./load/ask-service.js";
import { monotonicNow, type Answer, type Asked, type Call, type Request } from "./load/history.ts";
import { ENTRIES, prepareLongestAppend } from "./load/longest-append.ts";
import { SEED, soak } from "./load/options.ts";
import { openPlace, PLACES } from "./load/places.ts";
import { seeded } from "./load/seeded.ts";
import { trapFiles, trapStorage, type Failure, type Trap } from "./load/traps.ts";
import { createWorld, judge, QUESTION, SETTINGS } from "./load/world.ts";

const RUNS = soak?.count ?? 1;
/** Of the calls on files and on Redis, the short run fails one in so many, by the seed. In memory it fails each. */
const SAMPLE = soak === undefined ? { files: 12, redis: 3 } : { files: 1, redis: 1 };
const TIMEOUT_MS = (soak === undefined ? 180_000 : 600_000) * RUNS;
const QUOTA = 3;

const REQUESTS: readonly Request[] = [
  { kind: "chat", question: QUESTION, session_id: 1 },
  { kind: "exchange", token_amount: 0.3 },
  { kind: "trade_reward", trade_type: "spot", volume_usd: 250, ref_id: "" },
  { kind: "adjust", delta: -1, reason: "correction" },
];

/** Where calls fail, and the same storage without. */
interface Trapped {
  readonly sound: Storage;
  readonly failing: Storage;
  readonly trap: Trap;
}

async function open(storage: Storage): Promise<Service> {
  const { config, baseDir } = await loadConfig({ env: {}, flags: SETTINGS });
  const deps = { clock: systemClock, random: systemRandom, logger: silentLogger };
  return createService({ config, baseDir, storage, ...deps });
}

/**
 * Fails the calls of each operation one after the other, from a chosen one on in steps of `sample`; after each, the
 * operation is sent again.
 */
async function failEachCall(
  { sound, failing, trap }: Trapped,
  failures: readonly Failure[],
  { run, sample }: { readonly run: number; readonly sample: number },
): Promise<void> {
  const [failingService, soundService] = [await open(failing), await open(sound)];
  const choice = seeded(SEED, run);
  for (const request of REQUESTS) {
    for (const failure of failures) {
      const user = `${request.kind} ${failure} ${run}`;
      const calls: Call[] = [];
      const ask = async (service: Service, key: string, asking: Request): Promise<Answer> => {
        const asked: Asked = { user, request_id: `r${calls.length}`, key, request: asking };
        const [from, clock] = [monotonicNow(), Date.now()];
        const answer = await askService(service, asked);
        await service.settled(); // What follows the reply meets the trap, too.
        const to = answer.status === "failed" ? Infinity : monotonicNow();
        calls.push({ server: "this", asked, from, to, clock: [clock, Date.now()], answer });
        return answer;
      };
      await createWorld(sound, [user], QUOTA);
      await ask(soundService, "give", { kind: "adjust", delta: 200, reason: "to spend" });
      let failed = 0;
      for (let nth = 1 + choice.below(sample), reached = true; reached; nth += sample) {
        const mine = request.kind === "trade_reward" ? { ...request, ref_id: String(nth) } : request;
        const about = `${user}, call ${nth}`;
        trap.arm(nth, failure);
        const first = await ask(failingService, String(nth), mine);
        reached = trap.calls() >= nth;
        failed += Number(reached);
        trap.arm(0, failure);
        if (!reached) expect(first.status, about).toBe("done");
        expect((await verifyLedger(sound, user)).damage, about).toBeUndefined();
        const again = await ask(soundService, String(nth), mine);
        expect(again.status, about).toBe("done");
        expect(await ask(failingService, String(nth), mine), about).toEqual({ ...again, replayed: true });
      }
      expect(failed).toBeGreaterThan(0);
      expect(await judge(sound, [user], calls, QUOTA)).toEqual([]);
    }
  }
}

/** Fails each call of the append that takes the most. */
async function failLongestAppend(
  { sound, failing, trap }: Trapped,
  failures: readonly Failure[],
  { run, sample }: { readonly run: number; readonly sample: number },
): Promise<void> {
  const { user, post, rewind } = await prepareLongestAppend(sound, `longest ${run}`);
  const choice = seeded(SEED, run, "longest");
  for (const failure of failures) {
    for (let nth = 1 + choice.below(sample), reached = true; reached; nth += sample) {
      const about = `${failure}, call ${nth}`;
      await rewind();
      trap.arm(nth, failure);
      const first = await post(about, failing).catch((error: unknown) => error as Error);
      reached = trap.calls() >= nth;
      trap.arm(0, failure);
      if (!reached) expect(first, about).not.toBeInstanceOf(Error);
      expect((await verifyLedger(sound, user)).damage, about).toBeUndefined();
      const { entry } = await post(about);
      expect(entry.id, about).toBe(ENTRIES + 1);
      if (!(first instanceof Error)) expect(first.entry, about).toEqual(entry);
    }
  }
}

/** Creates the next entry twice, as a client does whose reply was lost, and runs `between` in between. */
function createTwice(storage: Storage, between: () => Promise<unknown>): { storage: Storage; arm: () => void } {
  let armed = false;
  const twice = interceptStorage(storage, async (verb, key, run) => {
    const first = await run();
    if (!armed || verb !== "create" || !/\/ledger\/\d+\/\d+$/.test(printKey(key))) return first;
    armed = false;
    await between();
    return run();
  });
  return {
    storage: twice,
    arm: () => {
      armed = true;
    },
  };
}

/** The calls are the same on every storage; the files' own are failed one by one below. */
const kinds = ["memory:", ...PLACES].filter((kind) => soak !== undefined || kind === "memory:" || kind === "redis");

describe.each(soak?.storage === undefined ? kinds : [soak.storage])("a storage on %s", (kind) => {
  it(
    "gives each operation one entry when it is sent again, whichever call on it failed",
    async () => {
      const place = await openPlace(kind);
      const sound = await openStorage(place.url);
      try {
        const { storage, trap } = trapStorage(sound);
        const failures: Failure[] = ["refused", "refused from then on", "lost"];
        const sample = kind === "redis" ? SAMPLE.redis : 1;
        for (let run = 0; run < RUNS; run++) {
          await failEachCall({ sound, failing: storage, trap }, failures, { run, sample });
          await failLongestAppend({ sound, failing: storage, trap }, failures, { run, sample });
        }
      } finally {
        await sound.close();
        await place.remove();
      }
    },
    TIMEOUT_MS,
  );
});

describe("an entry whose creation is sent again by a client below", () => {
  it("is the only one of its operation, which came without a key, while others append in between", async () => {
    const storage = await openStorage("memory:");
    const other = await open(storage);
    const calls: Call[] = [];
    const user = "twice";
    const ask = async (service: Service, request: Request): Promise<Answer> => {
      const asked: Asked = { user, request_id: `r${calls.length}`, request };
      const [from, clock, at] = [monotonicNow(), Date.now(), calls.length];
      calls.push({ server: "this", asked, from, to: Infinity, clock: [clock, clock], answer: undefined });
      const answer = await askService(service, asked);
      calls[at] = { ...calls[at]!, to: monotonicNow(), clock: [clock, Date.now()], answer };
      return answer;
    };
    const give: Request = { kind: "adjust", delta: 5, reason: "in between" };
    const trap = createTwice(storage, () => ask(other, give));
    const twice = await open(trap.storage);
    await createWorld(storage, [user], QUOTA);
    for (const request of REQUESTS.filter(({ kind }) => kind !== "trade_reward")) {
      trap.arm();
      expect(await ask(twice, request)).toMatchObject({ status: "done", replayed: false });
    }
    expect(calls).toHaveLength(6);
    expect(await judge(storage, [user], calls, QUOTA)).toEqual([]);
  });
});

describe.runIf((soak?.storage ?? "files") === "files")("files", () => {
  it(
    "give each operation one entry when it is sent again, whichever call on them failed: EIO, ENOSPC, a torn file",
    async () => {
      const place = await openPlace("files");
      const sound = await openStorage(place.url);
      const { trap, remove } = trapFiles(place.url.slice("fs:".length));
      try {
        const failures: Failure[] = ["refused", "refused from then on", "torn", "torn from then on", "lost"];
        for (let run = 0; run < RUNS; run++) {
          await failEachCall({ sound, failing: sound, trap }, failures, { run, sample: SAMPLE.files });
          await failLongestAppend({ sound, failing: sound, trap }, failures, { run, sample: SAMPLE.files });
        }
      } finally {
        remove();
        await sound.close();
        await place.remove();
      }
    },
    TIMEOUT_MS,
  );
});
