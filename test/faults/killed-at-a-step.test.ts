import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { readEvents } from "../../src/events/log/day-log.ts";
import type { Entry } from "../../src/ledger/entry.ts";
import { collect } from "../../src/runtime/batches.ts";
import { verifyLedger } from "../support/verify-ledger.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { Stream } from "../../src/storage/stream.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { record } from "./load/drive.ts";
import { readMessages } from "../../src/assistant/sessions/messages.ts";
import type { Call } from "./load/history.ts";
import { ENTRIES, prepareLongestAppend } from "./load/longest-append.ts";
import { soak } from "./load/options.ts";
import { openPlace, PLACES } from "./load/places.ts";
import { startServiceProcess, type Stop } from "./load/service-process.ts";
import { createWorld, entriesOf, judge, QUESTION, SETTINGS } from "./load/world.ts";

const program = join(inject("processes"), "append-process.js");
const USER = "step";

/** Appends in a process of its own; undefined when that was killed. */
async function append(url: string, key: string, stop: Stop): Promise<{ entry: Entry; steps: string[] } | undefined> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, url, USER, key, JSON.stringify(stop)], (error, out) => {
      if (error === null) resolve(JSON.parse(out) as { entry: Entry; steps: string[] });
      else if (error.signal === "SIGKILL") resolve(undefined);
      else reject(new Error("the process failed", { cause: error }));
    });
  });
}

/** The short run stops at the steps of the storage on one storage: they are the same on all. */
const levels = PLACES.flatMap((kind) => [
  ...(kind === "files" ? [["files", kind] as const] : []),
  ...(soak !== undefined || kind === "redis" ? [["storage", kind] as const] : []),
]);

/** How a file is written and made safe: on Linux in one call. */
const WRITING = process.platform === "linux" ? ["write synced file"] : ["write file", "sync file"];

/** The steps that change something. The short run stops at those but for syncs, whose work a process that is killed does
 * not need; the long one stops at every step. */
const CHANGES = {
  files: [
    ...WRITING.map((call) => `${call} operations/.~6b65793a3634.json.tmp`),
    "link operations/~6b65793a3634.json",
    "unlink operations/.~6b65793a3634.json.tmp",
    "sync folder step/operations",
    ...WRITING.map((call) => `${call} ledger/.head.json.tmp`),
    "rename ledger/head.json",
    "sync folder step/ledger",
    ...WRITING.map((call) => `${call} 0/.65.json.tmp`),
    "link 0/65.json",
    "rename 0/.last",
    "sync folder ledger/0",
    "answer",
  ],
  storage: ["create users/step/operations/key/64", "create users/step/ledger/0/65", "answer"],
};

describe.each(levels)("an append that is killed at a step of the %s, on %s", (level, kind) => {
  it(
    "has made its entry or not, and makes one when it is sent again",
    async () => {
      const place = await openPlace(kind);
      const storage = await openStorage(place.url);

      try {
        const { post, rewind } = await prepareLongestAppend(storage, USER);
        const { steps } = (await append(place.url, "all", { level, before: Infinity }))!;
        // The last of its name: a folder is synced when it is made, too.
        const changes = CHANGES[level].map((step) => steps.lastIndexOf(step));
        expect(changes, `${CHANGES[level].join(", ")} among ${steps.join(", ")}`).not.toContain(-1);
        let there = false;
        const chosen = changes.filter((index) => !steps[index]!.startsWith("sync "));
        for (const index of soak === undefined ? chosen : steps.keys()) {
          const [step, before] = [steps[index]!, index + 1];
          await rewind();
          expect(await append(place.url, step, { level, before }), step).toBeUndefined();
          const { entries, damage } = await verifyLedger(storage, USER);
          expect(damage, step).toBeUndefined();
          const again = await post(step);
          expect(again.replayed, step).toBe(entries === ENTRIES + 1);
          expect((await post(step)).entry, step).toEqual(again.entry);
          expect(await verifyLedger(storage, USER), step).toMatchObject({ entries: ENTRIES + 1, balance: ENTRIES + 1 });
          // Once there, an entry does not go away at a later step.
          if (there) expect(again.replayed, step).toBe(true);
          there = again.replayed;
        }
        expect(there).toBe(true);
        if (soak !== undefined) console.log(`killed before each of ${steps.length} steps of the ${level} on ${kind}`);
      } finally {
        await storage.close();
        await place.remove();
      }
    },
    soak === undefined ? 180_000 : 600_000,
  );
});

/** The calls on files that decide what is there after a kill. */
const NAMES = /^(?:link|rename|unlink) /;

/** What follows the reply to a killed process is its successor's to write when so much time has passed. */
const LATE_MS = 61_000;

describe.each([
  ["writes", "files"],
  ["files", "files"],
  ["writes", "redis"],
] as const)("an answer to a question that is killed at one of its %s, on %s", (level, kind) => {
  it.skipIf(!PLACES.includes(kind))(
    "is charged once, has its text, its turn and its event once when it is asked again",
    { timeout: 600_000 },
    async () => {
      const place = await openPlace(kind);
      const storage = await openStorage(place.url);
      const calls: Call[] = [];
      let late = 0;
      await createWorld(storage, [USER], 1);
      let service = await startServiceProcess(place.url, SETTINGS);
      let steps: readonly string[] = [];
      const ask = (key: number, before: number): Promise<Call> => {
        const request = { kind: "chat", question: QUESTION, session_id: 1 } as const;
        const asked = { user: USER, request_id: `chat-${calls.length}`, key: String(key), request };
        return record(calls, service, asked, async (one) => {
          const reply = await service.askUntil({ level, before }, one);
          steps = reply?.steps ?? steps;
          return reply;
        }).then((call) => {
          // The clock of a killed process is not the machine's.
          if (call.answer === undefined)
            calls[calls.length - 1] = { ...call, clock: [call.clock[0] + late, call.clock[1] + late] };
          return call;
        });
      };
      try {
        await record(calls, service, { user: USER, request_id: "give", request: GIVE });
        for (const key of [-1, 0]) await ask(key, Infinity); // The first one makes folders.
        const all = level === "writes" || soak !== undefined;
        const chosen = [...steps.keys()].filter((index) => all || NAMES.test(steps[index]!));
        for (const before of chosen.map((index) => index + 1)) {
          if ((await ask(before, before)).answer === undefined) {
            service = await startServiceProcess(place.url, SETTINGS);
            await service.skew((late += LATE_MS));
            expect((await ask(before, Infinity)).answer?.status).toBe("done");
          }
          expect(await judge(storage, [USER], calls, 1)).toEqual([]);
          const turns = await new Stream(storage, ["users", USER, "sessions", "1"], turn).read(1, 100);
          const charged = await messagesOf(storage);
          expect(turns.map(({ message_id }) => message_id)).toEqual(charged);
          const events = await collect(readEvents(storage, {}));
          expect(events.map(({ message_id }) => message_id).sort()).toEqual(charged.toSorted());
          expect(await readMessages(storage, charged)).toHaveLength(charged.length);
        }
        const killed = calls.filter(({ answer }) => answer === undefined).length;
        expect(killed, steps.join(", ")).toBeGreaterThanOrEqual(level === "writes" ? 4 : 8);
        if (soak !== undefined) console.log(`killed ${killed} times at ${chosen.length} ${level} of an answer`);
      } finally {
        await service.end("SIGKILL");
        await storage.close();
        await place.remove();
      }
    },
  );
});

const GIVE = { kind: "adjust", delta: 99, reason: "to ask" } as const;
const turn = z.object({ message_id: z.int() });

/** The messages that were charged, in order. */
async function messagesOf(storage: Storage): Promise<number[]> {
  const entries = await entriesOf(storage, USER);
  return entries.flatMap(({ details }) => (details.type === "chat_cost" ? [details.message_id] : []));
}
